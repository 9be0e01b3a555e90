// The scenario with System.Net.Http.HttpClient, on Mono.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using System.Web.Script.Serialization;
using Json = System.Collections.Generic.Dictionary<string, object>;

/// <summary>A response, and what it says: <c>data</c>, <c>errors</c> …</summary>
class Answer
{
    public int Status;
    public HttpResponseMessage Response;
    public object Body;

    /// <summary>The value at a path such as <c>data.0.attributes.name</c>; null where something is missing.</summary>
    public object At(string path)
    {
        object found = Body;
        foreach (string name in path.Split('.'))
        {
            if (found is Json members) found = members.TryGetValue(name, out object value) ? value : null;
            else if (found is object[] list) found = int.Parse(name) < list.Length ? list[int.Parse(name)] : null;
            else return null;
        }
        return found;
    }

    public string Text(string path) => Convert.ToString(At(path));
    public object[] List(string path) => (object[])At(path) ?? new object[0];
}

static class Scenario
{
    static readonly string Api = Variable("API");
    static readonly string Name = Variable("CLIENT");
    static readonly string Numbers = Variable("NUMBERS");
    const string JsonApi = "application/vnd.api+json";
    static readonly HttpClient Http = new HttpClient();
    static readonly JavaScriptSerializer Serializer = new JavaScriptSerializer();

    static string Variable(string name) => Environment.GetEnvironmentVariable(name);

    static void Say(string step, params object[] words)
    {
        Console.WriteLine(step + ": " + string.Join(" ", words.Select(word => word is bool ? word.ToString().ToLower() : word)));
    }

    static Json Members(params object[] pairs)
    {
        var members = new Json();
        for (int at = 0; at < pairs.Length; at += 2) members[(string)pairs[at]] = pairs[at + 1];
        return members;
    }

    static string Query(params string[] pairs)
    {
        var parts = Enumerable.Range(0, pairs.Length / 2)
            .Select(at => Uri.EscapeDataString(pairs[2 * at]) + "=" + Uri.EscapeDataString(pairs[2 * at + 1]));
        return "?" + string.Join("&", parts);
    }

    static async Task<Answer> Send(HttpRequestMessage request)
    {
        HttpResponseMessage response = await Http.SendAsync(request);
        string text = await response.Content.ReadAsStringAsync();
        object body = text == "" ? null : Serializer.DeserializeObject(text);
        return new Answer { Status = (int)response.StatusCode, Response = response, Body = body };
    }

    static HttpRequestMessage Request(string method, string url, string key)
    {
        var request = new HttpRequestMessage(new HttpMethod(method), url);
        request.Headers.Add("Api-Key", key);
        request.Headers.Accept.ParseAdd(JsonApi);
        return request;
    }

    static Task<Answer> Call(string method, string path, Json data = null)
    {
        HttpRequestMessage request = Request(method, path.StartsWith("http") ? path : Api + "/v3" + path, Variable("KEY"));
        if (data != null)
        {
            string document = Serializer.Serialize(Members("data", data));
            request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(document));
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(JsonApi);
        }
        return Send(request);
    }

    static Json TrunkNamed(string name)
    {
        Json sip = Members("username", "{DID}", "host", "sip.example.com", "codec_ids", new[] { 9, 10 });
        Json configuration = Members("type", "sip_configurations", "attributes", sip);
        return Members("type", "voice_in_trunks", "attributes", Members("name", name, "configuration", configuration));
    }

    static async Task Platform()
    {
        Answer countries = await Call("GET", "/countries" + Query("filter[iso]", "GB"));
        string country = countries.Text("data.0.id");
        Json found = (Json)countries.At("data.0.attributes");
        Say("country", found["name"], found["prefix"], countries.At("meta.total_records"));

        Answer cities = await Call("GET", "/cities" + Query("filter[name]", "Frankfurt am Main", "include", "country",
            "fields[cities]", "name,country", "fields[countries]", "iso"));
        Json city = (Json)cities.At("data.0.attributes");
        Say("city", city["name"], cities.At("included.0.attributes.iso"), string.Join(",", city.Keys));

        Answer page = await Call("GET", "/cities" + Query("filter[country.id]", country, "page[size]", "20"));
        int total = (int)page.At("meta.total_records");
        int read = page.List("data").Length;
        while (page.At("links.next") != null)
        {
            page = await Call("GET", page.Text("links.next"));
            read += page.List("data").Length;
        }
        Say("pages", read == total, read > 60);

        string name = "Zürich + Söhne " + Name;
        Answer created = await Call("POST", "/voice_in_trunks", TrunkNamed(name));
        string trunk = created.Text("data.id");
        Say("trunk", created.Status, created.Text("data.attributes.name") == name);
        Answer same = await Call("GET", "/voice_in_trunks" + Query("filter[name]", name));
        Say("search", same.List("data").Length, same.Text("data.0.id") == trunk);

        string did = await Order(country);
        string path = "/dids/" + did + "?include=voice_in_trunk";
        Json link = Members("data", Members("type", "voice_in_trunks", "id", trunk));
        Answer patched = await Call("PATCH", path, Members("type", "dids", "id", did,
            "attributes", Members("description", "a+b & ü", "capacity_limit", null),
            "relationships", Members("voice_in_trunk", link)));
        bool isNull = patched.At("data.attributes.capacity_limit") == null;
        bool isLinked = patched.Text("included.0.id") == trunk;
        Say("patch", patched.Status, patched.At("data.attributes.description"), isNull, isLinked);
        await Upload();

        Answer held = await Call("DELETE", "/voice_in_trunks/" + trunk);
        Say("held", held.Status, held.At("errors.0.code"));
        Json nothing = Members("voice_in_trunk", Members("data", null));
        await Call("PATCH", path, Members("type", "dids", "id", did, "relationships", nothing));
        Answer deleted = await Call("DELETE", "/voice_in_trunks/" + trunk);
        Answer gone = await Call("GET", "/voice_in_trunks/" + trunk);
        Say("delete", deleted.Status, gone.Status, gone.At("errors.0.title"));

        Answer refused = await Call("POST", "/voice_in_trunks", TrunkNamed(""));
        Say("refused", refused.Status, refused.At("errors.0.source.pointer"), refused.At("errors.0.detail"));
        Answer stranger = await Send(Request("GET", Api + "/v3/balance", "nobody"));
        Say("stranger", stranger.Status, stranger.At("errors.0.detail"));
    }

    static async Task<string> Order(string country)
    {
        Answer groups = await Call("GET", "/did_groups" + Query("filter[country.id]", country,
            "filter[needs_registration]", "false", "filter[is_available]", "true", "include", "stock_keeping_units",
            "page[size]", "1"));
        Json sku = groups.List("included").Cast<Json>()
            .First(each => (int)((Json)each["attributes"])["channels_included_count"] > 0);
        Json item = Members("type", "did_order_items", "attributes", Members("sku_id", sku["id"], "qty", 1));
        Answer order = await Call("POST", "/orders",
            Members("type", "orders", "attributes", Members("items", new[] { item })));
        string id = order.Text("data.id");
        string status = order.Text("data.attributes.status");
        while (status != "completed")
        {
            Thread.Sleep(50);
            status = (await Call("GET", "/orders/" + id)).Text("data.attributes.status");
        }
        Answer dids = await Call("GET", "/dids" + Query("filter[order.id]", id));
        Say("order", order.Status, status, dids.Text("data.0.attributes.number").StartsWith("44"));
        return dids.Text("data.0.id");
    }

    static async Task Upload()
    {
        var form = new MultipartFormDataContent();
        form.Add(new StringContent(Variable("FINGERPRINT")), "\"encrypted_files[encryption_fingerprint]\"");
        form.Add(new StringContent("Paß " + Name), "\"encrypted_files[description]\"");
        var content = new ByteArrayContent(File.ReadAllBytes(Variable("ENCRYPTED_FILE")));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/octet-stream");
        form.Add(content, "\"encrypted_files[file]\"", "\"passport.pdf.enc\"");
        HttpRequestMessage request = Request("POST", Api + "/v3/encrypted_files", Variable("KEY"));
        request.Content = form;
        Answer file = await Send(request);
        Answer stored = await Call("GET", "/encrypted_files/" + file.Text("data.id"));
        Say("upload", file.Status, stored.Text("data.attributes.description") == "Paß " + Name);
    }

    static void Authorize(HttpRequestMessage request, string mode, string method, string path, byte[] body)
    {
        string key = Variable("APP_KEY");
        string secret = Variable("APP_SECRET");
        string credentials = key;
        if (mode == "basic") credentials = Convert.ToBase64String(Encoding.UTF8.GetBytes(key + ":" + secret));
        if (mode == "forged")
        {
            credentials = key + ":forged";
            request.Headers.Add("x-timestamp", "1");
        }
        if (mode == "application")
        {
            string timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
            string md5 = body == null ? "" : Convert.ToBase64String(MD5.Create().ComputeHash(body));
            string type = body == null ? "" : "application/json";
            string text = string.Join("\n", method, md5, type, "x-timestamp:" + timestamp, path);
            string padded = secret.Replace('-', '+').Replace('_', '/').PadRight((secret.Length + 3) / 4 * 4, '=');
            byte[] hash = new HMACSHA256(Convert.FromBase64String(padded)).ComputeHash(Encoding.UTF8.GetBytes(text));
            credentials = key + ":" + Convert.ToBase64String(hash);
            request.Headers.Add("x-timestamp", timestamp);
        }
        request.Headers.TryAddWithoutValidation("Authorization", (mode == "basic" ? "Basic " : "Application ") + credentials);
    }

    static Task<Answer> Verify(string mode, string method, string below, Json data = null)
    {
        string path = "/api/v1/verifications" + below;
        byte[] body = data == null ? null : Encoding.UTF8.GetBytes(Serializer.Serialize(Members("data", data)));
        var request = new HttpRequestMessage(new HttpMethod(method), Api + path);
        request.Headers.Accept.ParseAdd("application/json");
        if (body != null)
        {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        }
        Authorize(request, mode, method, path, body);
        return Send(request);
    }

    static Task<Answer> Start(string mode, string number)
    {
        Json sms = Members("languages", new[] { "de-DE" });
        return Verify(mode, "POST", "", Members("destination", number, "delivery_method", "sms", "sms", sms));
    }

    static async Task<string> Report(string mode, string method, string below, string number)
    {
        string url = Api + "/sandbox/v1/messages" + Query("destination", number.Substring(1), "wait", "30");
        string code = (await Send(Request("GET", url, Variable("KEY")))).Text("messages.0.code");
        return (await Verify(mode, method, below, Members("delivery_method", "sms", "code", code))).Text("data.status");
    }

    static async Task Verification()
    {
        Answer basic = await Start("basic", Numbers + "1");
        string verified = await Report("basic", "PATCH", "/by_number/" + Uri.EscapeDataString(Numbers + "1"), Numbers + "1");
        Say("basic", basic.Status, basic.At("data.status"), basic.At("data.sms.language"), verified);

        Answer signed = await Start("application", Numbers + "2");
        string below = "/" + signed.Text("data.id");
        Answer pending = await Verify("application", "GET", below);
        verified = await Report("application", "PATCH", below, Numbers + "2");
        Say("application", signed.Status, pending.At("data.status"), verified);

        Answer open = await Start("public", Numbers + "3");
        verified = await Report("public", "PUT", "/" + open.Text("data.id"), Numbers + "3");
        Say("public", open.Status, open.At("data.status"), verified);

        Answer soon = await Start("basic", Numbers + "1");
        double wait = soon.Response.Headers.RetryAfter?.Delta?.TotalSeconds ?? 0;
        Say("cooldown", soon.Status, soon.At("errors.0.code"), wait > 0 && wait <= 30);
        Answer wrong = await Start("basic", "12");
        Say("invalid", wrong.Status, wrong.At("errors.0.detail"));
        Answer unknown = await Verify("basic", "GET", "/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000");
        Answer stranger = await Verify("forged", "GET", below);
        Say("unknown", unknown.Status, unknown.At("errors.0.code"), stranger.Status, stranger.At("errors.0.code"));
    }

    static async Task Run()
    {
        await Platform();
        await Verification();
    }

    static void Main()
    {
        Run().GetAwaiter().GetResult();
    }
}

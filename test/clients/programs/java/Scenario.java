// The scenario with java.net.http.HttpClient; the JDK has no JSON, so a few lines read what the scenario needs.

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Scenario {
    static final String API = System.getenv("API");
    static final String CLIENT = System.getenv("CLIENT");
    static final String NUMBERS = System.getenv("NUMBERS");
    static final String JSON_API = "application/vnd.api+json";
    static final HttpClient http = HttpClient.newHttpClient();

    record Answer(int status, String body, HttpResponse<String> response) {
        /** The first member of that name behind the text `after`. */
        String member(String name, String after) {
            int from = after.isEmpty() ? 0 : body.indexOf(after);
            Matcher found = Pattern.compile("\"" + name + "\":(\"((?:[^\"\\\\]|\\\\.)*)\"|[^,}\\]]+)").matcher(body);
            if (from < 0 || !found.find(from)) return null;
            return found.group(2) != null ? found.group(2) : found.group(1);
        }

        String member(String name) {
            return member(name, "");
        }

        int records(String type) {
            return body.split(Pattern.quote("\"type\":\"" + type + "\",\"attributes\""), -1).length - 1;
        }
    }

    static void say(String step, Object... words) {
        List<String> texts = new ArrayList<>();
        for (Object word : words) texts.add(String.valueOf(word));
        System.out.println(step + ": " + String.join(" ", texts));
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String query(Map<String, String> parameters) {
        return parameters.entrySet().stream()
            .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
            .collect(Collectors.joining("&", "?", ""));
    }

    static Answer send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Answer(response.statusCode(), response.body(), response);
    }

    static HttpRequest.Builder request(String url, String key) {
        return HttpRequest.newBuilder(URI.create(url)).header("Api-Key", key).header("Accept", JSON_API);
    }

    static Answer call(String method, String path, String data) throws Exception {
        String url = path.startsWith("http") ? path : API + "/v3" + path;
        HttpRequest.Builder request = request(url, System.getenv("KEY"));
        if (data == null) return send(request.method(method, BodyPublishers.noBody()));
        String document = "{\"data\":" + data + "}";
        return send(request.header("Content-Type", JSON_API).method(method, BodyPublishers.ofString(document)));
    }

    static Answer get(String path, Map<String, String> parameters) throws Exception {
        return call("GET", path + query(parameters), null);
    }

    static String trunkNamed(String name) {
        return """
            {"type":"voice_in_trunks","attributes":{"name":"%s","configuration":{"type":"sip_configurations",
             "attributes":{"username":"{DID}","host":"sip.example.com","codec_ids":[9,10]}}}}""".formatted(name);
    }

    static void platform() throws Exception {
        Answer countries = get("/countries", Map.of("filter[iso]", "GB"));
        String country = countries.member("id");
        say("country", countries.member("name"), countries.member("prefix"), countries.member("total_records"));

        Answer cities = get("/cities", Map.of("filter[name]", "Frankfurt am Main", "include", "country",
            "fields[cities]", "name,country", "fields[countries]", "iso"));
        String names = cities.body().contains("\"attributes\":{\"name\":\"Frankfurt am Main\"}") ? "name" : "more";
        say("city", cities.member("name"), cities.member("iso", "\"included\""), names);

        Answer page = get("/cities", Map.of("filter[country.id]", country, "page[size]", "20"));
        int read = page.records("cities");
        for (String next = page.member("next"); next != null; next = page.member("next")) {
            page = call("GET", next, null);
            read += page.records("cities");
        }
        say("pages", read == Integer.parseInt(page.member("total_records")), read > 60);

        String name = "Zürich + Söhne " + CLIENT;
        Answer created = call("POST", "/voice_in_trunks", trunkNamed(name));
        String trunk = created.member("id");
        say("trunk", created.status(), name.equals(created.member("name")));
        Answer found = get("/voice_in_trunks", Map.of("filter[name]", name));
        say("search", found.records("voice_in_trunks"), trunk.equals(found.member("id")));

        String did = order(country);
        String start = "{\"type\":\"dids\",\"id\":\"" + did + "\",";
        String path = "/dids/" + did + "?include=voice_in_trunk";
        Answer patched = call("PATCH", path, start + """
            "attributes":{"description":"a+b & ü","capacity_limit":null},"relationships":{"voice_in_trunk":
            {"data":{"type":"voice_in_trunks","id":"%s"}}}}""".formatted(trunk));
        boolean isNull = "null".equals(patched.member("capacity_limit"));
        boolean isLinked = trunk.equals(patched.member("id", "\"included\""));
        say("patch", patched.status(), patched.member("description"), isNull, isLinked);
        upload();

        Answer held = call("DELETE", "/voice_in_trunks/" + trunk, null);
        say("held", held.status(), held.member("code"));
        call("PATCH", path, start + "\"relationships\":{\"voice_in_trunk\":{\"data\":null}}}");
        Answer deleted = call("DELETE", "/voice_in_trunks/" + trunk, null);
        Answer gone = call("GET", "/voice_in_trunks/" + trunk, null);
        say("delete", deleted.status(), gone.status(), gone.member("title"));

        Answer refused = call("POST", "/voice_in_trunks", trunkNamed(""));
        say("refused", refused.status(), refused.member("pointer"), refused.member("detail"));
        Answer stranger = send(request(API + "/v3/balance", "nobody"));
        say("stranger", stranger.status(), stranger.member("detail"));
    }

    static String order(String country) throws Exception {
        Answer groups = get("/did_groups", Map.of("filter[country.id]", country, "filter[needs_registration]", "false",
            "filter[is_available]", "true", "include", "stock_keeping_units", "page[size]", "1"));
        Matcher sku = Pattern.compile("\"id\":\"([^\"]+)\",\"type\":\"stock_keeping_units\",\"attributes\":"
            + "\\{[^}]*\"channels_included_count\":[1-9]").matcher(groups.body());
        if (!sku.find()) throw new IllegalStateException(groups.body());
        String item = "{\"type\":\"did_order_items\",\"attributes\":{\"sku_id\":\"" + sku.group(1) + "\",\"qty\":1}}";
        Answer order = call("POST", "/orders", "{\"type\":\"orders\",\"attributes\":{\"items\":[" + item + "]}}");
        String id = order.member("id");
        String status = order.member("status");
        while (!status.equals("completed")) {
            Thread.sleep(50);
            status = call("GET", "/orders/" + id, null).member("status");
        }
        Answer dids = get("/dids", Map.of("filter[order.id]", id));
        say("order", order.status(), status, dids.member("number").startsWith("44"));
        return dids.member("id");
    }

    static void upload() throws Exception {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String boundary = "----scenario" + System.nanoTime();
        String part = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"encrypted_files[%s]\"%s\r\n\r\n";
        body.writeBytes((part.formatted("encryption_fingerprint", "") + System.getenv("FINGERPRINT") + "\r\n").getBytes());
        body.writeBytes((part.formatted("description", "") + "Paß " + CLIENT + "\r\n").getBytes(StandardCharsets.UTF_8));
        body.writeBytes(part.formatted("file", "; filename=\"passport.pdf.enc\"").getBytes());
        body.writeBytes(Files.readAllBytes(Path.of(System.getenv("ENCRYPTED_FILE"))));
        body.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes());
        Answer file = send(request(API + "/v3/encrypted_files", System.getenv("KEY"))
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            .POST(BodyPublishers.ofByteArray(body.toByteArray())));
        Answer stored = call("GET", "/encrypted_files/" + file.member("id"), null);
        say("upload", file.status(), ("Paß " + CLIENT).equals(stored.member("description")));
    }

    static void authorize(HttpRequest.Builder request, String mode, String method, String path, String body)
        throws Exception {
        String key = System.getenv("APP_KEY");
        String secret = System.getenv("APP_SECRET");
        Base64.Encoder base64 = Base64.getEncoder();
        switch (mode) {
            case "basic" -> request.header("Authorization", "Basic " + base64.encodeToString((key + ":" + secret).getBytes()));
            case "public" -> request.header("Authorization", "Application " + key);
            case "forged" -> request.header("Authorization", "Application " + key + ":forged").header("x-timestamp", "1");
            default -> {
                String timestamp = String.valueOf(Instant.now().getEpochSecond());
                String md5 = body == null ? "" : base64.encodeToString(MessageDigest.getInstance("MD5").digest(body.getBytes()));
                String type = body == null ? "" : "application/json";
                String text = String.join("\n", method, md5, type, "x-timestamp:" + timestamp, path);
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(Base64.getUrlDecoder().decode(secret), "HmacSHA256"));
                String signature = base64.encodeToString(mac.doFinal(text.getBytes()));
                request.header("Authorization", "Application " + key + ":" + signature).header("x-timestamp", timestamp);
            }
        }
    }

    static Answer verify(String mode, String method, String below, String data) throws Exception {
        String path = "/api/v1/verifications" + below;
        String body = data == null ? null : "{\"data\":" + data + "}";
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(API + path)).header("Accept", "application/json");
        if (body != null) request.header("Content-Type", "application/json");
        authorize(request, mode, method, path, body);
        return send(request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    }

    static Answer start(String mode, String number) throws Exception {
        return verify(mode, "POST", "", "{\"destination\":\"" + number
            + "\",\"delivery_method\":\"sms\",\"sms\":{\"languages\":[\"de-DE\"]}}");
    }

    static String report(String mode, String method, String below, String number) throws Exception {
        String url = API + "/sandbox/v1/messages" + query(Map.of("destination", number.substring(1), "wait", "30"));
        String code = send(request(url, System.getenv("KEY"))).member("code");
        return verify(mode, method, below, "{\"delivery_method\":\"sms\",\"code\":\"" + code + "\"}").member("status");
    }

    static void verification() throws Exception {
        Answer basic = start("basic", NUMBERS + "1");
        String verified = report("basic", "PATCH", "/by_number/" + encode(NUMBERS + "1"), NUMBERS + "1");
        say("basic", basic.status(), basic.member("status"), basic.member("language"), verified);

        Answer signed = start("application", NUMBERS + "2");
        String below = "/" + signed.member("id");
        Answer pending = verify("application", "GET", below, null);
        verified = report("application", "PATCH", below, NUMBERS + "2");
        say("application", signed.status(), pending.member("status"), verified);

        Answer open = start("public", NUMBERS + "3");
        verified = report("public", "PUT", "/" + open.member("id"), NUMBERS + "3");
        say("public", open.status(), open.member("status"), verified);

        Answer soon = start("basic", NUMBERS + "1");
        long wait = soon.response().headers().firstValueAsLong("Retry-After").orElse(0);
        say("cooldown", soon.status(), soon.member("code"), wait > 0 && wait <= 30);
        Answer wrong = start("basic", "12");
        say("invalid", wrong.status(), wrong.member("detail"));
        Answer unknown = verify("basic", "GET", "/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000", null);
        Answer stranger = verify("forged", "GET", below, null);
        say("unknown", unknown.status(), unknown.member("code"), stranger.status(), stranger.member("code"));
    }

    public static void main(String[] words) throws Exception {
        platform();
        verification();
    }
}

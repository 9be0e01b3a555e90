// The scenario with net/http of the standard library.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

var (
	api     = os.Getenv("API")
	client  = os.Getenv("CLIENT")
	numbers = os.Getenv("NUMBERS")
)

const jsonAPI = "application/vnd.api+json"

type object = map[string]any

// Document holds the members of responses that the scenario reads, of both interfaces.
type Document struct {
	Data     json.RawMessage
	Included []Resource
	Meta     struct {
		TotalRecords int `json:"total_records"`
	}
	Links  struct{ Next string }
	Errors []struct {
		Title, Detail, Code string
		Source              struct{ Pointer string }
	}
	Messages []struct{ Code string }
}

type Resource struct {
	ID         string
	Attributes object
}

type Verification struct {
	ID, Status string
	SMS        struct{ Language string }
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func one[T any](document Document) (found T) {
	must(0, json.Unmarshal(document.Data, &found))
	return found
}

func say(step string, words ...any) {
	fmt.Println(step+":", strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
}

func send(method, target string, query url.Values, header http.Header, body []byte) (*http.Response, Document) {
	if query != nil {
		target += "?" + query.Encode()
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request := must(http.NewRequest(method, target, reader))
	request.Header = header
	response := must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	text := must(io.ReadAll(response.Body))
	var document Document
	if len(text) > 0 {
		must(0, json.Unmarshal(text, &document))
	}
	return response, document
}

func call(method, path string, query url.Values, data any) (int, Document) {
	header := http.Header{"Api-Key": {os.Getenv("KEY")}, "Accept": {jsonAPI}}
	var body []byte
	if data != nil {
		header.Set("Content-Type", jsonAPI)
		body = must(json.Marshal(object{"data": data}))
	}
	if !strings.HasPrefix(path, "http") {
		path = api + "/v3" + path
	}
	response, document := send(method, path, query, header, body)
	return response.StatusCode, document
}

func get(path string, query url.Values) Document {
	_, document := call("GET", path, query, nil)
	return document
}

func trunkNamed(name string) object {
	sip := object{"username": "{DID}", "host": "sip.example.com", "codec_ids": []int{9, 10}}
	configuration := object{"type": "sip_configurations", "attributes": sip}
	return object{"type": "voice_in_trunks", "attributes": object{"name": name, "configuration": configuration}}
}

func platform() {
	countries := get("/countries", url.Values{"filter[iso]": {"GB"}})
	country := one[[]Resource](countries)[0]
	say("country", country.Attributes["name"], country.Attributes["prefix"], countries.Meta.TotalRecords)

	cities := get("/cities", url.Values{
		"filter[name]":      {"Frankfurt am Main"},
		"include":           {"country"},
		"fields[cities]":    {"name,country"},
		"fields[countries]": {"iso"},
	})
	city := one[[]Resource](cities)[0].Attributes
	names := []string{}
	for name := range city {
		names = append(names, name)
	}
	say("city", city["name"], cities.Included[0].Attributes["iso"], strings.Join(names, ","))

	page := get("/cities", url.Values{"filter[country.id]": {country.ID}, "page[size]": {"20"}})
	read := len(one[[]Resource](page))
	for page.Links.Next != "" {
		page = get(page.Links.Next, nil)
		read += len(one[[]Resource](page))
	}
	say("pages", read == page.Meta.TotalRecords, read > 60)

	name := "Zürich + Söhne " + client
	status, created := call("POST", "/voice_in_trunks", nil, trunkNamed(name))
	trunk := one[Resource](created)
	say("trunk", status, trunk.Attributes["name"] == name)
	found := one[[]Resource](get("/voice_in_trunks", url.Values{"filter[name]": {name}}))
	say("search", len(found), found[0].ID == trunk.ID)

	did := order(country)
	update := func(members object) (int, Document) {
		members["type"], members["id"] = "dids", did.ID
		return call("PATCH", "/dids/"+did.ID, url.Values{"include": {"voice_in_trunk"}}, members)
	}
	status, patched := update(object{
		"attributes":    object{"description": "a+b & ü", "capacity_limit": nil},
		"relationships": object{"voice_in_trunk": object{"data": object{"type": "voice_in_trunks", "id": trunk.ID}}},
	})
	now := one[Resource](patched).Attributes
	say("patch", status, now["description"], now["capacity_limit"] == nil, patched.Included[0].ID == trunk.ID)
	upload()

	path := "/voice_in_trunks/" + trunk.ID
	status, held := call("DELETE", path, nil, nil)
	say("held", status, held.Errors[0].Code)
	update(object{"relationships": object{"voice_in_trunk": object{"data": nil}}})
	status, _ = call("DELETE", path, nil, nil)
	gone, missing := call("GET", path, nil, nil)
	say("delete", status, gone, missing.Errors[0].Title)

	status, refused := call("POST", "/voice_in_trunks", nil, trunkNamed(""))
	say("refused", status, refused.Errors[0].Source.Pointer, refused.Errors[0].Detail)
	response, stranger := send("GET", api+"/v3/balance", nil, http.Header{"Api-Key": {"nobody"}}, nil)
	say("stranger", response.StatusCode, stranger.Errors[0].Detail)
}

func order(country Resource) Resource {
	groups := get("/did_groups", url.Values{
		"filter[country.id]":         {country.ID},
		"filter[needs_registration]": {"false"},
		"filter[is_available]":       {"true"},
		"include":                    {"stock_keeping_units"},
		"page[size]":                 {"1"},
	})
	sku := ""
	for _, unit := range groups.Included {
		if count, ok := unit.Attributes["channels_included_count"].(float64); ok && count > 0 {
			sku = unit.ID
		}
	}
	item := object{"type": "did_order_items", "attributes": object{"sku_id": sku, "qty": 1}}
	data := object{"type": "orders", "attributes": object{"items": []any{item}}}
	status, document := call("POST", "/orders", nil, data)
	placed := one[Resource](document)
	for placed.Attributes["status"] != "completed" {
		time.Sleep(50 * time.Millisecond)
		placed = one[Resource](get("/orders/"+placed.ID, nil))
	}
	did := one[[]Resource](get("/dids", url.Values{"filter[order.id]": {placed.ID}}))[0]
	say("order", status, placed.Attributes["status"], strings.HasPrefix(did.Attributes["number"].(string), "44"))
	return did
}

func upload() {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(0, form.WriteField("encrypted_files[encryption_fingerprint]", os.Getenv("FINGERPRINT")))
	must(0, form.WriteField("encrypted_files[description]", "Paß "+client))
	part := must(form.CreateFormFile("encrypted_files[file]", "passport.pdf.enc"))
	must(part.Write(must(os.ReadFile(os.Getenv("ENCRYPTED_FILE")))))
	must(0, form.Close())
	header := http.Header{"Api-Key": {os.Getenv("KEY")}, "Content-Type": {form.FormDataContentType()}}
	response, file := send("POST", api+"/v3/encrypted_files", nil, header, body.Bytes())
	stored := one[Resource](get("/encrypted_files/"+one[Resource](file).ID, nil))
	say("upload", response.StatusCode, stored.Attributes["description"] == "Paß "+client)
}

func authorize(header http.Header, mode, method, path string, body []byte) {
	key, secret := os.Getenv("APP_KEY"), os.Getenv("APP_SECRET")
	switch mode {
	case "basic":
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(key+":"+secret)))
	case "public":
		header.Set("Authorization", "Application "+key)
	case "forged":
		header.Set("Authorization", "Application "+key+":forged")
		header.Set("X-Timestamp", "1")
	default:
		timestamp, digest := strconv.FormatInt(time.Now().Unix(), 10), ""
		if body != nil {
			sum := md5.Sum(body)
			digest = base64.StdEncoding.EncodeToString(sum[:])
		}
		lines := []string{method, digest, header.Get("Content-Type"), "x-timestamp:" + timestamp, path}
		mac := hmac.New(sha256.New, must(base64.RawURLEncoding.DecodeString(secret)))
		mac.Write([]byte(strings.Join(lines, "\n")))
		header.Set("Authorization", "Application "+key+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		header.Set("X-Timestamp", timestamp)
	}
}

func verify(mode, method, below string, data object) (*http.Response, Document) {
	path := "/api/v1/verifications" + below
	header := http.Header{"Accept": {"application/json"}}
	var body []byte
	if data != nil {
		header.Set("Content-Type", "application/json")
		body = must(json.Marshal(object{"data": data}))
	}
	authorize(header, mode, method, path, body)
	return send(method, api+path, nil, header, body)
}

func start(mode, number string) (*http.Response, Document) {
	sms := object{"languages": []string{"de-DE"}}
	return verify(mode, "POST", "", object{"destination": number, "delivery_method": "sms", "sms": sms})
}

func report(mode, method, below, number string) string {
	query := url.Values{"destination": {strings.TrimPrefix(number, "+")}, "wait": {"30"}}
	_, inbox := send("GET", api+"/sandbox/v1/messages", query, http.Header{"Api-Key": {os.Getenv("KEY")}}, nil)
	_, document := verify(mode, method, below, object{"delivery_method": "sms", "code": inbox.Messages[0].Code})
	return one[Verification](document).Status
}

func verification() {
	first, second, third := numbers+"1", numbers+"2", numbers+"3"
	response, document := start("basic", first)
	started := one[Verification](document)
	verified := report("basic", "PATCH", "/by_number/"+url.QueryEscape(first), first)
	say("basic", response.StatusCode, started.Status, started.SMS.Language, verified)

	response, document = start("application", second)
	below := "/" + one[Verification](document).ID
	_, pending := verify("application", "GET", below, nil)
	verified = report("application", "PATCH", below, second)
	say("application", response.StatusCode, one[Verification](pending).Status, verified)

	response, document = start("public", third)
	started = one[Verification](document)
	say("public", response.StatusCode, started.Status, report("public", "PUT", "/"+started.ID, third))

	response, document = start("basic", first)
	wait := must(strconv.Atoi(response.Header.Get("Retry-After")))
	say("cooldown", response.StatusCode, document.Errors[0].Code, wait > 0 && wait <= 30)
	response, document = start("basic", "12")
	say("invalid", response.StatusCode, document.Errors[0].Detail)
	response, document = verify("basic", "GET", "/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000", nil)
	refused, stranger := verify("forged", "GET", below, nil)
	say("unknown", response.StatusCode, document.Errors[0].Code, refused.StatusCode, stranger.Errors[0].Code)
}

func main() {
	platform()
	verification()
}

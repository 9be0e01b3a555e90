"""Runs with `python3 -m unittest` against the server of TRUNKLINE_URL and TRUNKLINE_API_KEY."""

import base64
import json
import unittest
import urllib.request

from trunkline_pytest import TrunklineError, start_server


class WorldTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = start_server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        self.world = self.server.world(start="empty")
        self.addCleanup(self.world.end)

    def verify(self, method, path, data):
        token = base64.b64encode(f"{self.world.otp['key']}:{self.world.otp['secret']}".encode()).decode()
        request = urllib.request.Request(
            f"{self.world.url}/api/v1/verifications{path}",
            data=json.dumps({"data": data}).encode(),
            method=method,
            headers={"authorization": f"Basic {token}", "content-type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)["data"]

    def test_a_phone_is_verified(self):
        started = self.verify("POST", "", {"destination": "+4915112345678", "delivery_method": "sms"})
        code = self.world.wait_for_message("+4915112345678")["code"]
        reported = self.verify("PATCH", f"/{started['id']}", {"delivery_method": "sms", "code": code})
        self.assertEqual(reported["status"], "verified")

    def test_records_faults_and_time(self):
        seeded = self.world.seed({"accounts": [{"numbers": [{"country": "GB", "prefix": "20"}]}]})
        number = seeded["accounts"][0]["numbers"][0]["number"]
        self.assertTrue(number.startswith("4420"))
        self.world.fault({"status": 503}, match={"path": "/v3/balance"})
        request = urllib.request.Request(f"{self.world.url}/v3/balance", headers={"api-key": self.world.api_key})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        self.assertEqual(refused.exception.code, 503)
        refused.exception.close()
        before = self.world.now()
        self.assertGreater(self.world.advance(86_400), before)
        with self.assertRaises(TrunklineError) as wrong:
            self.world.seed({"numbers": [{"country": "France"}]})
        self.assertEqual(wrong.exception.status, 422)
        self.assertIn("numbers[0].country", str(wrong.exception))


if __name__ == "__main__":
    unittest.main()

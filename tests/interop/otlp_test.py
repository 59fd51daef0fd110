# SPDX-License-Identifier: Apache-2.0
"""Goal: a collector of OpenTelemetry understands what argosyd exports. Method: a collector of this
test, which reads the requests by the published protobuf, while a job is carried out."""

import http.server
import os
import threading
import time
import unittest

import grpc
from armada_client.client import ArmadaClient
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from deployment import START_WITHIN_S, Argosyd, InteropTest, pod


class Collector(http.server.BaseHTTPRequestHandler):
    requests = []
    headers_seen = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = trace_service_pb2.ExportTraceServiceRequest()
        request.ParseFromString(body)
        Collector.requests.append(request)
        Collector.headers_seen.append((self.path, dict(self.headers)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words):
        pass


class Export(InteropTest):
    @classmethod
    def setUpClass(cls):
        collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        cls.addClassCleanup(collector.shutdown)
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
                     "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b",
                     "OTEL_SERVICE_NAME": "batch", "OTEL_BSP_SCHEDULE_DELAY": "100",
                     "OTEL_RESOURCE_ATTRIBUTES": "site=north"}
        os.environ.update(variables)
        try:
            super().setUpClass()
        finally:
            for name in variables:
                del os.environ[name]

    def spans(self):
        return [(resource, span) for request in Collector.requests
                for resource in request.resource_spans for scope in resource.scope_spans
                for span in scope.spans]

    def wait_for_span(self, name):
        until = time.monotonic() + START_WITHIN_S
        while time.monotonic() < until:
            for resource, span in self.spans():
                if span.name == name:
                    return resource, span
            time.sleep(0.05)
        self.fail(f"no span {name} came; there are {sorted({s.name for _, s in self.spans()})}")

    def test_the_steps_of_a_job_arrive(self):
        client = ArmadaClient(grpc.insecure_channel(self.server.address))
        client.create_queue(client.create_queue_request(name=self.queue, priority_factor=1))
        client.submit_jobs(self.queue, "set", [client.create_job_request_item(
            namespace="default", priority=1, pod_spec=pod("true"))])
        resource, span = self.wait_for_span("lease")
        attributes = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
        self.assertEqual(attributes["service.name"], "batch")
        self.assertEqual(attributes["site"], "north")
        self.assertEqual(len(span.trace_id), 16)
        self.assertEqual(len(span.span_id), 8)
        self.assertEqual(len(span.parent_span_id), 8)
        self.assertLessEqual(span.start_time_unix_nano, span.end_time_unix_nano)
        self.assertLess(abs(span.start_time_unix_nano / 1e9 - time.time()), 300)
        of_span = {pair.key: pair.value.string_value for pair in span.attributes}
        self.assertIn("argosy.job", of_span)
        self.assertEqual(of_span["argosy.queue"], self.queue)
        path, headers = Collector.headers_seen[0]
        self.assertEqual(path, "/v1/traces")
        self.assertEqual(headers["Content-Type"], "application/x-protobuf")
        self.assertEqual(headers["x-key"], "a b")

        for _, each in self.spans():
            self.assertTrue(each.name)
            self.assertNotEqual(each.trace_id, bytes(16))
            self.assertNotEqual(each.span_id, bytes(8))
            self.assertIn(each.kind, (1, 5))


    def test_a_link_to_another_trace_arrives(self):
        def field(number, data):
            return bytes([number << 3 | 2, len(data)]) + data

        def fixed(number, value):
            return bytes([number << 3 | 1]) + value.to_bytes(8, "little")

        # A ReportSpansRequest of one Span: trace_id, span_id, name, link_trace_id, link_span_id.
        span = (field(1, bytes(15) + b"\x07") + fixed(2, 8) + field(4, b"much later")
                + field(11, bytes(15) + b"\x05") + fixed(12, 6))
        report = grpc.insecure_channel(self.server.address).unary_unary(
            "/argosy.v1.Trace/ReportSpans")
        report(field(1, span))
        _, got = self.wait_for_span("much later")
        self.assertEqual(got.trace_id, bytes(15) + b"\x07")
        self.assertEqual(got.parent_span_id, b"")
        self.assertEqual([(link.trace_id, link.span_id) for link in got.links],
                         [(bytes(15) + b"\x05", bytes(7) + b"\x06")])


class BadEnvironment(unittest.TestCase):
    def test_argosyd_names_the_variable_and_ends(self):
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "collector:4317"
        self.addCleanup(os.environ.pop, "OTEL_EXPORTER_OTLP_ENDPOINT")
        server = Argosyd()
        self.addCleanup(server.remove)
        with self.assertRaisesRegex(RuntimeError, "OTEL_EXPORTER_OTLP_ENDPOINT"):
            server.start()

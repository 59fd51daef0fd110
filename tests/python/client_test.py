# SPDX-License-Identifier: Apache-2.0
"""Goal: a job is submitted, followed and explained from Python; mistakes are sentences. Method:
the wheel against argosyd --dev."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import argosy
import grpc
from argosy import _client, _contexts, _spec
from deployment import Argosyd, DevTest


class Jobs(DevTest):
    def test_a_job_is_waited_for_and_has_output(self):
        job = self.submit("echo to $GREET '$(X) $$'; echo aside >&2", env={"GREET": "all"})
        self.assertEqual(job.wait(), "succeeded")
        self.assertEqual(sorted(job.logs().splitlines()), ["aside", "to all $(X) $$"])
        self.assertIn("succeeded", job.why())
        self.assertEqual([event.kind for event in job.events()],
                         ["submitted", "queued", "leased", "pending", "running", "succeeded"])
        self.assertEqual((job.state, job.done()), ("succeeded", True))

    def test_a_failure_says_why(self):
        with self.assertRaises(argosy.JobFailed) as raised:
            self.submit("exit 3").wait()
        self.assertRegex(str(raised.exception), "^job .* failed: exited with code 3$")

    def test_a_wait_that_ends_early_says_what_it_waits_for(self):
        job = self.submit(["true"], cpu=100_000)
        with self.assertRaisesRegex(TimeoutError, "never run as it is"):
            job.wait(0.2)
        job.cancel("enough")
        self.assertEqual(job.wait(check=False), "cancelled")

    def test_a_job_of_another_client_is_found(self):
        with argosy.Client() as other:
            self.assertEqual(other.job(self.submit("true").id).wait(), "succeeded")

    def test_many_wait_for_one_job_set(self):
        jobs = [self.submit("true") for _ in range(8)]
        self.assertEqual({job.wait(30) for job in jobs}, {"succeeded"})

    def test_a_wait_outlives_a_crash_and_nothing_runs_twice(self):
        mark, go = self.server.folder / "ran", self.server.folder / "go"
        wait = f"until [ -e {go} ]; do sleep 0.05; done"
        jobs = [self.submit(f"echo {name} >> {mark}; {wait}") for name in ("one", "two")]
        ends = [job._future() for job in jobs]
        while {job.state for job in jobs} != {"running"}:
            time.sleep(0.02)
        self.server.stop(signal.SIGKILL)
        self.server.start()
        self.assertFalse(any(end.done() for end in ends))
        go.touch()
        self.assertEqual([job.wait(60) for job in jobs], ["succeeded"] * 2)
        self.assertEqual(sorted(mark.read_text().split()), ["one", "two"])

    def test_a_lost_answer_makes_no_second_job(self):
        class Lost(grpc.RpcError):
            code = staticmethod(lambda: grpc.StatusCode.UNAVAILABLE)

        answers, method = [], self.client._wire._method

        def loses_the_first(name):
            stub, *rest = method(name)

            def call(*args, **more):
                answers.append(stub(*args, **more))
                if len(answers) == 1:
                    raise Lost
                return answers[-1]

            return call, *rest

        with mock.patch.object(self.client._wire, "_method", loses_the_first):
            job = self.submit("true")
        self.assertEqual([one.job_response_items[0].job_id for one in answers], [job.id] * 2)
        listed = self.server.ctl("get", "jobs", "-q", self.client.queue, "-o", "name")
        self.assertEqual(listed.split(), [f"job/{job.id}"])


    def test_a_submission_that_fails_half_way_leaves_nothing_behind(self):
        call, seen = self.client._wire.call, []

        def fails_the_second(method, *args, **more):
            seen.append(method)
            if seen.count("Submit.SubmitJobs") == 2 and method == "Submit.SubmitJobs":
                raise argosy.Error("no room", "RESOURCE_EXHAUSTED")
            return call(method, *args, **more)

        items = [_spec.item_of(argosy.Needs(cpu="10m", memory="16Mi"), ["sleep", "60"])] * 2
        with mock.patch.object(_spec, "REQUEST_JOBS_MAX", 1), \
                mock.patch.object(self.client._wire, "call", fails_the_second), \
                self.assertRaisesRegex(argosy.Error, "no room"):
            self.client._submit(None, None, items)
        listed = self.server.ctl("get", "jobs", "-q", self.client.queue, "-o", "name").split()
        self.assertEqual(len(listed), 1)
        job = self.client.job(listed[0].removeprefix("job/"))
        self.assertEqual(job.wait(30, check=False), "cancelled")


class Threads(unittest.TestCase):
    def test_the_first_messages_may_be_made_by_several_threads(self):
        script = """if True:
            import sys, threading
            from argosy import _wire
            sys.setswitchinterval(1e-6)
            gate = threading.Barrier(8)
            def use():
                gate.wait()
                item = _wire.message("api.JobSubmitRequestItem")
                item.pod_spec.containers.add().resources.limits["cpu"].string = "1"
            threads = [threading.Thread(target=use) for _ in range(8)]
            [one.start() for one in threads]
            [one.join() for one in threads]"""
        done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Mistakes(DevTest):
    def test_an_unknown_queue_and_no_queue(self):
        with self.assertRaisesRegex(argosy.Error, "queue 'nix' does not exist; make it"):
            self.submit("true", queue="nix")
        self.client.queue = None
        with self.assertRaisesRegex(argosy.Error, "name a queue: queue=NAME"):
            self.submit("true")

    def test_another_version_is_one_sentence_and_asks_nothing(self):
        with mock.patch.object(_client, "own_version", return_value="7.1.0"):
            with self.assertRaisesRegex(argosy.WrongVersion,
                                        "has version .* and this package 7.1.0; install argosy"):
                argosy.Client()

    def test_a_server_that_is_not_there(self):
        begun = time.monotonic()
        with self.assertRaisesRegex(argosy.Unreachable, "127.0.0.1:1 .* does not answer"):
            argosy.Client("grpc://127.0.0.1:1", patience=0.3)
        self.assertLess(time.monotonic() - begun, 5)

    def test_addresses_that_are_none(self):
        for url in ("nats://127.0.0.1:4222", "grpc://host", "grpc://", "grpc://host:x"):
            with self.assertRaisesRegex(argosy.Error, "is no address for gRPC"):
                argosy.Client(url)
        with self.assertRaisesRegex(argosy.Error, "unencrypted"):
            argosy.Client("grpc://ann:secret@example.com:50051")


class Secured(unittest.TestCase):
    def test_a_context_leads_to_a_server_with_a_certificate_and_passwords(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
                            certificate, "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost"], check=True, capture_output=True)
            hashed = subprocess.run(["argosyd", "hash-password"], input="s3cret\n", text=True,
                                    check=True, stdout=subprocess.PIPE, env=dict(
                                        os.environ, PATH=os.environ["ARGOSY_PROGRAMS"])).stdout
            server = Argosyd(f"""
                grpc: {{listen: "127.0.0.1:0", certificateFile: {certificate}, keyFile: {key}}}
                access:
                  users:
                    - {{name: ann, passwordHash: "{hashed.strip()}", groups: [staff]}}
                    - {{name: bob, passwordHash: "{hashed.strip()}"}}
                  permissions: [{{name: create_queue, groups: [staff]}}]""")
            self.addCleanup(server.remove)
            server.start()
            self.look(server, certificate, server.urls["grpcs"].rsplit(":", 1)[1])

    def look(self, server, certificate, port):
        for name, word in (("work", "ann:s3cret"), ("other", "bob:s3cret"), ("wrong", "ann:guess")):
            server.ctl("config", "set-context", name, "--server", server.urls["nats"],
                       "--ca-file", certificate, "--grpc", f"grpcs://{word}@localhost:{port}")
        with mock.patch.dict(os.environ, server.env):
            with argosy.Client(context="work", queue="anns") as client:
                client.create_queue("anns")
                self.assertEqual(client.whoami(), "ann")
                job = client.submit("true", cpu="10m", memory="16Mi")
                self.assertEqual(job.wait(), "succeeded")
                queue = client._wire.call("Submit.GetQueue", name="anns")
                queue.permissions.add(verbs=["submit"]).subjects.add(kind="User", name="bob")
                client._wire.call("Submit.UpdateQueue", queue)
            with argosy.Client(context="other", queue="anns") as bob:
                job = bob.submit("true", cpu="10m", memory="16Mi")
                self.assertEqual(job.wait(30), "succeeded")
                with self.assertRaisesRegex(argosy.Error, "or the verb 'watch' on queue 'anns'"):
                    job.logs()
            with self.assertRaisesRegex(argosy.Error, "the user name or the password is wrong"):
                argosy.Client(context="wrong")


class Contexts(DevTest):
    def test_a_context_leads_to_its_server(self):
        self.server.ctl("config", "set-context", "here", "--server", self.server.urls["nats"],
                        "--grpc", self.server.urls["grpc"])
        found = _contexts.find_server(context="here")
        self.assertEqual("grpc://" + found.target, self.server.urls["grpc"])
        with argosy.Client(context="here") as client:
            self.assertTrue(client.whoami())
        with mock.patch.dict(os.environ, ARGOSY_CONTEXT="here"):
            self.assertEqual(_contexts.find_server().context, "here")

    def test_a_context_may_have_a_password_for_an_encrypted_link(self):
        def find(grpc):
            self.server.ctl("config", "set-context", "far", "--server", "nats://h:4222", "--grpc",
                            grpc)
            return _contexts.find_server(context="far")

        found = find("grpcs://ann:p%40w@h:50051")
        self.assertEqual((found.target, found.encrypted, found.password),
                         ("h:50051", True, ("ann", "p@w")))
        self.assertEqual(found.authorization(), "Basic YW5uOnBAdw==")
        self.assertNotIn("p@w", repr(found))
        with self.assertRaisesRegex(argosy.Error, "would go unencrypted to h; use grpcs://"):
            find("grpc://ann:p%40w@h:50051")

    def test_a_context_without_an_address_says_how_to_add_it(self):
        self.server.ctl("config", "set-context", "bare", "--server", self.server.urls["nats"])
        with self.assertRaisesRegex(argosy.Error, "set-context bare --grpc"):
            _contexts.find_server(context="bare")
        with self.assertRaisesRegex(argosy.Error, "has no context 'none'"):
            _contexts.find_server(context="none")

    def test_a_server_over_nats_alone_is_not_guessed(self):
        with mock.patch.dict(os.environ, ARGOSY_SERVER="nats://elsewhere:4222"):
            with self.assertRaisesRegex(argosy.Error, "set ARGOSY_GRPC"):
                _contexts.find_server()

    def test_a_token_is_read_for_each_call_and_never_open(self):
        tokens = self.server.folder / "state/argosy/tokens"
        tokens.mkdir(parents=True, exist_ok=True)
        file = tokens / "a%20b"
        more = {"token_file": tokens / _contexts._file_name("a b"), "context": "a b"}
        address = _contexts._of_url("grpcs://host:1", "a test", **more)
        file.write_text('{"token": "x.y.z", "expiresAt": 0}')
        file.chmod(0o600)
        self.assertEqual(address.authorization(), "Bearer x.y.z")
        file.write_text('{"token": "x.y.z", "expiresAt": 1}')
        with self.assertRaisesRegex(argosy.Error, "your token has ended, and argosyctl did not"):
            address.authorization()
        renewed = json.dumps({"token": "new", "expiresAt": time.time() + 60})
        with mock.patch("subprocess.run", lambda *_, **__: file.write_text(renewed)):
            self.assertEqual(address.authorization(), "Bearer new")
        file.chmod(0o644)
        with self.assertRaisesRegex(argosy.Error, "others may read"):
            address.authorization()


if __name__ == "__main__":
    unittest.main()

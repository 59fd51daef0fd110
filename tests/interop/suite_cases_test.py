# SPDX-License-Identifier: Apache-2.0
"""Goal: the cases that Armada's own test suite plays against a server hold here, with the words of
that suite: kinds of events that have to come in this order for each job, and actions that are
called when all jobs have got to a state. Method: a small engine over Armada's Python client. Cases
that need images, namespaces, services or GPUs are left out."""

import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor

import grpc
from armada_client.armada import job_pb2, job_pb2_grpc, submit_pb2
from armada_client.client import ArmadaClient
from armada_client.k8s.io.api.core.v1 import generated_pb2 as core_v1
from armada_client.k8s.io.apimachinery.pkg.api.resource import generated_pb2 as resource

from deployment import Argosyd, InteropTest

TIMEOUT_S = 60
ENDS = {"succeeded", "failed", "cancelled"}


def pod(command, memory="25Mi", priority_class=""):
    amounts = {"cpu": resource.Quantity(string="100m"),
               "memory": resource.Quantity(string=memory)}
    return core_v1.PodSpec(
        terminationGracePeriodSeconds=0, restartPolicy="Never", priorityClassName=priority_class,
        containers=[core_v1.Container(
            name="main", image="alpine:3.20", imagePullPolicy="IfNotPresent", command=command,
            resources=core_v1.ResourceRequirements(requests=amounts, limits=amounts))])


def on_node_request(name, executor, queues):
    """A NodeCancelRequest or NodePreemptRequest, which the Python client does not know."""
    out = b""
    for number, text in [(1, name), (2, executor)] + [(3, queue) for queue in queues]:
        data = text.encode()
        out += bytes([number << 3 | 2, len(data)]) + data
    return out


class SuiteCases(InteropTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Argosyd(settings="api: {neverFitsAfter: 1s}")
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def setUp(self):
        self.channel = grpc.insecure_channel(self.server.address)
        self.addCleanup(self.channel.close)
        self.client = ArmadaClient(self.channel)

    def make_queue(self, base, factor=1):
        name = f"{base}-{uuid.uuid4().hex[:8].upper()}"
        self.client.create_queue(
            self.client.create_queue_request(name=name, priority_factor=factor))
        return name

    def play(self, spec, expected, batches=1, size=1, trigger=None, action=None, client_ids=False):
        """Submits the jobs and returns their last events, once each has had the expected events in
        their order. When all have had the event `trigger`, calls action(queue, job_set, ids)."""
        queue = self.make_queue("suite-queue")
        job_set = f"case-{uuid.uuid4().hex[:8]}"
        ids = []
        for _ in range(batches):
            items = [self.client.create_job_request_item(
                priority=0, pod_spec=spec, namespace="personal-anonymous",
                client_id=uuid.uuid4().hex if client_ids else None) for _ in range(size)]
            answer = self.client.submit_jobs(queue=queue, job_set_id=job_set,
                                             job_request_items=items)
            ids += [each.job_id for each in answer.job_response_items]
        at = dict.fromkeys(ids, 0)
        last = {}
        triggered = set()
        stream = self.client.get_job_events_stream(queue=queue, job_set_id=job_set)
        guard = threading.Timer(TIMEOUT_S, stream.cancel)
        guard.start()
        try:
            for each in stream:
                kind = each.message.WhichOneof("events")
                event = getattr(each.message, kind)
                job = event.job_id
                if kind == trigger and job not in triggered:
                    triggered.add(job)
                    if triggered == set(ids):
                        action(queue, job_set, ids)
                if at[job] < len(expected) and kind == expected[at[job]]:
                    at[job] += 1
                    last[job] = event
                    if all(place == len(expected) for place in at.values()):
                        return [last[job] for job in ids]
                elif kind in ENDS and at[job] < len(expected):
                    self.fail(f"job {job} ended with {kind} before {expected[at[job]]}")
        except grpc.RpcError as why:
            self.fail(f"after {at}: {why.code()} {why.details()}")
        finally:
            guard.cancel()
            stream.cancel()
            self.client.cancel_jobset(queue=queue, job_set_id=job_set, filter_states=[])
        return self.fail("the stream of events ended")

    # ---- basic ----

    def test_batches_of_jobs_succeed(self):
        self.play(pod(["ls"]), ["submitted", "succeeded"], batches=2, size=3)

    def test_client_ids_are_taken(self):
        self.play(pod(["ls"]), ["submitted", "succeeded"], size=3, client_ids=True)

    def test_the_default_class_may_be_named(self):
        self.play(pod(["sleep", "1"], priority_class="armada-default"), ["submitted", "succeeded"])

    def test_jobs_are_cancelled_by_their_ids(self):
        def cancel(queue, job_set, ids):
            request = submit_pb2.JobCancelRequest(queue=queue, job_set_id=job_set, job_ids=ids)
            answer = self.client.submit_stub.CancelJobs(request)
            self.assertEqual(sorted(answer.cancelled_ids), sorted(ids))

        self.play(pod(["sleep", "100"]), ["submitted", "cancelled"], size=10, trigger="queued",
                  action=cancel)

    def test_a_job_set_is_cancelled_twice(self):
        def cancel(queue, job_set, _):
            for _ in range(2):
                self.client.cancel_jobset(queue=queue, job_set_id=job_set, filter_states=[])

        self.play(pod(["sleep", "600"]), ["submitted", "cancelled"], size=5, trigger="queued",
                  action=cancel)

    def test_what_is_no_program_fails(self):
        failed, = self.play(pod(["exit 1"]), ["submitted", "failed"])
        self.assertEqual(failed.failure_category, "user_error")
        self.assertNotEqual(failed.reason, "")

    def test_whoever_waits_for_the_end_of_what_never_fits_comes_back(self):
        """Reads as `armadactl watch --exit-if-inactive` does, until all jobs have ended."""
        queue = self.make_queue("suite-never")
        items = [self.client.create_job_request_item(
            priority=0, pod_spec=spec, namespace="personal-anonymous")
            for spec in (pod(["ls"]), pod(["ls"], memory="100Ti"))]
        answer = self.client.submit_jobs(queue=queue, job_set_id="set", job_request_items=items)
        large = answer.job_response_items[1].job_id
        stream = self.client.get_job_events_stream(queue=queue, job_set_id="set")
        guard = threading.Timer(TIMEOUT_S, stream.cancel)
        guard.start()
        seen, ended, failed = set(), set(), {}
        try:
            for each in stream:
                kind = each.message.WhichOneof("events")
                event = getattr(each.message, kind)
                seen.add(event.job_id)
                if kind in ENDS:
                    ended.add(event.job_id)
                if kind == "failed":
                    failed[event.job_id] = event
                if seen == ended and len(seen) == 2:
                    break
        finally:
            guard.cancel()
            stream.cancel()
        self.assertEqual(list(failed), [large])
        self.assertIn("it can never run as it is: it needs 100 TiB of memory",
                      failed[large].reason)

    # ---- categorization ----

    def test_an_exit_code_is_an_error_of_the_user(self):
        failed, = self.play(pod(["sh", "-c", "exit 1"]), ["submitted", "failed"])
        self.assertEqual(failed.failure_category, "user_error")
        self.assertFalse(failed.retryable)

    # ---- preemption ----

    def test_running_jobs_are_preempted_for_a_reason(self):
        reason = "Preempted by the suite for a test."

        def preempt(queue, job_set, ids):
            time.sleep(0.2)
            request = submit_pb2.JobPreemptRequest(queue=queue, job_set_id=job_set, job_ids=ids,
                                                   reason=reason)
            self.client.submit_stub.PreemptJobs(request)

        for event in self.play(pod(["sleep", "600"], priority_class="armada-preemptible"),
                               ["submitted", "preempted"], size=5, trigger="running",
                               action=preempt):
            self.assertIn(reason, event.reason)

    # ---- reprioritization ----

    def test_running_jobs_get_another_priority_by_id_and_by_set(self):
        def by_id(queue, job_set, ids):
            answer = self.client.reprioritize_jobs(new_priority=100, job_ids=ids,
                                                   job_set_id=job_set, queue=queue)
            self.assertEqual(dict(answer.reprioritization_results), dict.fromkeys(ids, ""))

        def by_set(queue, job_set, _):
            answer = self.client.reprioritize_jobs(new_priority=100, job_ids=None,
                                                   job_set_id=job_set, queue=queue)
            self.assertEqual(list(answer.reprioritization_results.values()), [""])

        for action in (by_id, by_set):
            for event in self.play(pod(["sleep", "600"]), ["submitted", "reprioritized"], size=5,
                                   trigger="running", action=action):
                self.assertEqual(event.new_priority, 100)

    # ---- node ----

    def test_jobs_on_a_node_are_cancelled_and_preempted(self):
        jobs = job_pb2_grpc.JobsStub(self.channel)

        def on_node(method):
            def act(queue, _, ids):
                details = jobs.GetJobDetails(job_pb2.JobDetailsRequest(
                    job_ids=ids, expand_job_run=True)).job_details
                run = details[ids[0]].job_runs[0]
                send = self.channel.unary_unary(f"/api.Node/{method}")
                self.assertEqual(send(on_node_request(run.node, run.cluster, [queue])), b"")
            return act

        spec = pod(["sleep", "300"], priority_class="armada-preemptible")
        self.play(spec, ["submitted", "cancelled"], size=5, trigger="leased",
                  action=on_node("CancelOnNode"))
        self.play(spec, ["submitted", "preempted", "failed"], size=5, trigger="leased",
                  action=on_node("PreemptOnNode"))

    # ---- queue ----

    def test_a_queue_equals_what_was_asked_for_until_it_is_deleted(self):
        name = self.make_queue("crud-Queue", factor=3.0)
        self.client.update_queue(
            self.client.create_queue_request(name=name, priority_factor=2.0))
        self.assertIn(name, [each.name for each in self.client.get_queues()])
        self.assertEqual(self.client.get_queue(name),
                         submit_pb2.Queue(name=name, priority_factor=2.0))
        self.client.delete_queue(name)
        self.assert_status(grpc.StatusCode.NOT_FOUND, name, lambda: self.client.get_queue(name))

    def test_queues_in_batches_are_cordoned_and_deleted(self):
        names = [f"batch-{uuid.uuid4().hex[:8].upper()}" for _ in range(5)]

        def queues(cordoned):
            return [submit_pb2.Queue(name=name, priority_factor=1.0, cordoned=cordoned)
                    for name in names]

        self.assertEqual(len(self.client.create_queues(queues(False)).failed_queues), 0)
        self.assertEqual(len(self.client.update_queues(queues(True)).failed_queues), 0)
        self.assertTrue(set(names) <= {each.name for each in self.client.get_queues()})
        for wanted in queues(True):
            self.assertEqual(self.client.get_queue(wanted.name), wanted)
            self.client.delete_queue(wanted.name)

    def test_a_queue_is_active_while_its_job_runs(self):
        stub = job_pb2_grpc.JobsStub(self.channel)

        def look(queue, job_set, _):
            active = stub.GetActiveQueues(job_pb2.GetActiveQueuesRequest())
            self.assertIn(queue, active.active_queues_by_pool["default"].queues)
            self.client.cancel_jobset(queue=queue, job_set_id=job_set, filter_states=[])
            self.client.delete_queue(queue)
            self.assert_status(grpc.StatusCode.NOT_FOUND, queue,
                               lambda: self.client.get_queue(queue))

        self.play(pod(["sleep", "30"]), ["submitted", "running"], trigger="running", action=look)

    # ---- all at once, as the suite plays its cases ----

    def test_cases_run_beside_each_other(self):
        with ThreadPoolExecutor(8) as pool:
            done = [pool.submit(self.play, pod(["ls"]), ["submitted", "succeeded"], 2, 5)
                    for _ in range(8)]
            self.assertEqual(sum(len(each.result()) for each in done), 80)


if __name__ == "__main__":
    unittest.main()

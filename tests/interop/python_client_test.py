# SPDX-License-Identifier: Apache-2.0
"""Goal: Armada's Python client works against argosyd as it is. Method: every method of it that is
served, over gRPC without credentials, as its examples call them."""

import re
import time
import unittest
from pathlib import Path

import grpc
from armada_client.armada import event_pb2, submit_pb2
from armada_client.client import ArmadaClient
from armada_client.event import EventType
from armada_client.log_client import JobLogClient
from armada_client.permissions import Permissions, Subject

from deployment import InteropTest, pod

ENDS = (EventType.succeeded, EventType.failed, EventType.cancelled)


class PythonClient(InteropTest):
    def setUp(self):
        channel = grpc.insecure_channel(self.server.address)
        self.addCleanup(channel.close)
        self.client = ArmadaClient(channel)

    def create(self, **settings):
        self.client.create_queue(
            self.client.create_queue_request(name=self.queue, priority_factor=1, **settings))

    def item(self, command, **more):
        return self.client.create_job_request_item(priority=1, pod_spec=pod(command),
                                                   namespace="default", **more)

    def submit(self, *items, job_set="set"):
        answer = self.client.submit_jobs(queue=self.queue, job_set_id=job_set,
                                         job_request_items=list(items))
        for each in answer.job_response_items:
            self.assertEqual(each.error, "")
        return [each.job_id for each in answer.job_response_items]

    def events(self, job_set="set", from_id=None):
        stream = self.client.get_job_events_stream(queue=self.queue, job_set_id=job_set,
                                                   from_message_id=from_id)
        self.addCleanup(self.client.unwatch_events, stream)
        for each in stream:
            yield self.client.unmarshal_event_response(each)

    def until_ended(self, ids, job_set="set"):
        """All events of the job set until each of the jobs has ended."""
        out = []
        left = set(ids)
        for event in self.events(job_set):
            out.append(event)
            if event.type in ENDS:
                left.discard(event.message.job_id)
            if not left:
                return out
        return out

    def test_both_services_are_healthy(self):
        self.assertEqual(self.client.submit_health().status, 1)
        self.assertEqual(self.client.event_health().status, 1)

    def test_queues_are_made_changed_listed_and_deleted(self):
        permissions = [Permissions(subjects=[Subject(kind="Group", name="team")],
                                   verbs=["submit", "watch"])]
        self.create(user_owners=["ann"], resource_limits={"cpu": 0.5}, permissions=permissions)
        got = self.client.get_queue(self.queue)
        self.assertEqual((got.name, got.priority_factor), (self.queue, 1))
        self.assertIn("team", [s.name for p in got.permissions for s in p.subjects])
        self.client.update_queue(
            self.client.create_queue_request(name=self.queue, priority_factor=3))
        self.assertEqual(self.client.get_queue(self.queue).priority_factor, 3)
        self.assertIn(self.queue, [each.name for each in self.client.get_queues()])
        self.client.delete_queue(self.queue)
        self.assert_status(grpc.StatusCode.NOT_FOUND, self.queue,
                           lambda: self.client.get_queue(self.queue))

    def test_several_queues_are_made_and_changed_at_once(self):
        names = [f"{self.queue}-{i}" for i in range(3)]
        wanted = [self.client.create_queue_request(name=name, priority_factor=1) for name in names]
        self.assertEqual(len(self.client.create_queues(wanted).failed_queues), 0)
        self.assertTrue(set(names) <= {each.name for each in self.client.get_queues()})
        other = [self.client.create_queue_request(name=name, priority_factor=4) for name in names]
        self.assertEqual(len(self.client.update_queues(other).failed_queues), 0)
        self.assertEqual([self.client.get_queue(name).priority_factor for name in names], [4] * 3)

    def test_a_queue_of_a_factor_below_one_is_refused(self):
        wanted = self.client.create_queue_request(name=self.queue, priority_factor=0.5)
        self.assert_status(grpc.StatusCode.INVALID_ARGUMENT, "priority",
                           lambda: self.client.create_queue(wanted))

    def test_jobs_run_and_tell_each_step(self):
        self.create()
        ids = self.submit(self.item("true"), self.item("true"))
        events = self.until_ended(ids)
        for job in ids:
            steps = [each.type for each in events if each.message.job_id == job]
            self.assertEqual(steps[:3], [EventType.submitted, EventType.queued, EventType.leased])
            self.assertEqual(steps[-1], EventType.succeeded)
            self.assertIn(EventType.running, steps)
        for each in events:
            self.assertEqual((each.message.queue, each.message.job_set_id), (self.queue, "set"))
        submitted = next(each for each in events if each.type == EventType.submitted)
        self.assertEqual(submitted.message.job.id, ids[0])
        states = self.client.get_job_status(ids + ["01aaaaaaaaaaaaaaaaaaaaaaaa"]).job_states
        self.assertEqual([states[job] for job in ids], [submit_pb2.SUCCEEDED] * 2)
        self.assertEqual(states["01aaaaaaaaaaaaaaaaaaaaaaaa"], submit_pb2.UNKNOWN)

    def test_a_job_is_found_by_the_uri_that_it_has_elsewhere(self):
        self.create()
        mark = {"armadaproject.io/externalJobUri": (uri := "https://example.com/jobs/7")}
        ids = self.submit(self.item("true", annotations=mark), self.item("true"))
        self.until_ended(ids)
        found = self.client.get_job_status_by_external_job_uri(self.queue, "set", uri).job_states
        self.assertEqual(dict(found), {ids[0]: submit_pb2.SUCCEEDED})

    def test_the_output_of_a_job_is_read(self):
        self.create()
        ids = self.submit(self.item("echo one; echo two"))
        self.until_ended(ids)
        client = JobLogClient(self.server.address, ids[0], disable_ssl=True)
        self.assertEqual([each.line.strip() for each in client.logs()], ["one", "two"])

    def test_a_failing_job_tells_its_exit_code(self):
        self.create()
        ids = self.submit(self.item("echo broken >&2; exit 7"))
        last = self.until_ended(ids)[-1]
        self.assertEqual(last.type, EventType.failed)
        self.assertEqual(last.message.container_statuses[0].exitCode, 7)
        self.assertIn("7", self.client.get_job_errors(ids).job_errors[ids[0]])

    def test_details_have_the_runs_and_the_specification(self):
        self.create()
        ids = self.submit(self.item("exit 3"))
        self.until_ended(ids)
        details = self.client.get_job_details(ids).job_details[ids[0]]
        self.assertEqual((details.queue, details.jobset), (self.queue, "set"))
        self.assertEqual(details.state, submit_pb2.FAILED)
        self.assertEqual(len(details.job_runs), 1)
        self.assertEqual(details.job_runs[0].run_id, details.latest_run_id)
        self.assertEqual(details.job_runs[0].cluster, "local")
        runs = self.client.get_job_run_details([details.latest_run_id, "no run"]).job_run_details
        self.assertEqual([(key, run.job_id) for key, run in runs.items()],
                         [(details.latest_run_id, ids[0])])

    def test_a_watch_goes_on_behind_the_last_event_seen(self):
        self.create()
        ids = self.submit(self.item("true"), self.item("true"))
        seen = [each.id for each in self.until_ended(ids)]
        self.assertEqual(len(seen), len(set(seen)))
        for place in (0, len(seen) // 2, len(seen) - 2):
            again = []
            for event in self.events(from_id=seen[place]):
                again.append(event.id)
                if event.id == seen[-1]:
                    break
            self.assertEqual(again, seen[place + 1:])

    def test_a_job_is_cancelled(self):
        self.create()
        ids = self.submit(self.item("sleep 1000"), self.item("sleep 1000"))
        answer = self.client.cancel_jobs(queue=self.queue, job_set_id="set", job_id=ids[0])
        self.assertEqual(list(answer.cancelled_ids), [ids[0]])
        self.client.cancel_jobset(queue=self.queue, job_set_id="set", filter_states=[])
        ends = {each.message.job_id: each.type for each in self.until_ended(ids)
                if each.type in ENDS}
        self.assertEqual(ends, {job: EventType.cancelled for job in ids})

    def test_a_job_is_preempted(self):
        self.create()
        spec = pod("sleep 1000")
        spec.priorityClassName = "armada-preemptible"
        ids = self.submit(self.client.create_job_request_item(priority=1, pod_spec=spec,
                                                              namespace="default"))
        for event in self.events():
            if event.type == EventType.running:
                break
        answer = self.client.preempt_jobs(queue=self.queue, job_set_id="set", job_id=ids[0])
        self.assertEqual(dict(answer.preemption_results), {ids[0]: ""})
        events = self.until_ended(ids)
        types = [each.type for each in events]
        self.assertEqual(types[-3:],
                         [EventType.preempting, EventType.preempted, EventType.failed])
        self.assertNotEqual(events[-3].message.requestor, "")
        self.assertEqual(self.client.get_job_status(ids).job_states[ids[0]],
                         submit_pb2.PREEMPTED)

    def test_a_job_set_without_jobs_is_cancelled_without_an_error(self):
        self.create()
        self.client.cancel_jobset(queue=self.queue, job_set_id="never", filter_states=[])

    def test_a_priority_is_changed(self):
        self.create()
        ids = self.submit(self.item("sleep 1000"))
        done = self.client.reprioritize_jobs(new_priority=9, job_ids=ids, job_set_id="set",
                                             queue=self.queue)
        self.assertEqual(dict(done.reprioritization_results), {ids[0]: ""})
        kinds = []
        for event in self.events():
            kinds.append(event.type)
            if event.type == EventType.reprioritized:
                self.assertEqual(event.message.new_priority, 9)
                break
        self.assertIn(EventType.submitted, kinds)
        self.client.cancel_jobset(queue=self.queue, job_set_id="set", filter_states=[])

    def test_a_gang_starts_whole(self):
        self.create()
        label = {"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": "3"}
        ids = self.submit(*[self.item("true", annotations=label) for _ in range(3)])
        events = self.until_ended(ids)
        leased = [each.message.job_id for each in events if each.type == EventType.leased]
        self.assertEqual(sorted(leased), sorted(ids))
        self.assertEqual([each.type for each in events if each.type in ENDS],
                         [EventType.succeeded] * 3)

    def test_the_same_client_id_makes_one_job(self):
        self.create()
        first = self.submit(self.item("true", client_id="once"))
        self.assertEqual(self.submit(self.item("true", client_id="once")), first)

    def test_an_unknown_queue_is_told_as_armada_tells_it(self):
        self.assert_status(
            grpc.StatusCode.PERMISSION_DENIED, "could not find queue",
            lambda: self.client.submit_jobs(queue="nowhere", job_set_id="set",
                                            job_request_items=[self.item("true")]))

    def test_a_limit_above_the_request_is_refused_and_nothing_made(self):
        self.create()
        broken = self.item("true")
        broken.pod_spec.containers[0].resources.limits["cpu"].string = "2"
        self.assert_status(grpc.StatusCode.INVALID_ARGUMENT, "cpu",
                           lambda: self.submit(self.item("true"), broken))
        whole = event_pb2.JobSetRequest(queue=self.queue, id="set", watch=False)
        self.assertEqual(list(self.client.event_stub.GetJobSetEvents(whole)), [])

    def test_many_jobs_are_taken_in_pieces(self):
        self.create()
        count = 0
        for _ in range(10):
            count += len(self.submit(*[self.item("true", annotations={"a": "b"})
                                       for _ in range(500)], job_set="many"))
        self.assertEqual(count, 5000)
        self.client.cancel_jobset(queue=self.queue, job_set_id="many", filter_states=[])


class Restart(InteropTest):
    def test_a_watch_survives_the_death_of_the_server(self):
        channel = grpc.insecure_channel(self.server.address)
        self.addCleanup(channel.close)
        client = ArmadaClient(channel)
        client.create_queue(client.create_queue_request(name=self.queue, priority_factor=1))
        item = client.create_job_request_item(priority=1, pod_spec=pod("sleep 1"),
                                              namespace="default")
        job = client.submit_jobs(queue=self.queue, job_set_id="set",
                                 job_request_items=[item]).job_response_items[0].job_id
        place, kinds = None, []
        for each in client.get_job_events_stream(queue=self.queue, job_set_id="set"):
            event = client.unmarshal_event_response(each)
            place = event.id
            kinds.append(event.type)
            if event.type == EventType.running:
                break
        address = self.server.address
        self.server.kill()
        self.server.start()
        self.assertEqual(self.server.address, address, "clients find it again")
        grpc.channel_ready_future(channel).result(30)
        until = time.monotonic() + 60
        while kinds[-1] not in ENDS and time.monotonic() < until:
            try:
                for each in client.get_job_events_stream(queue=self.queue, job_set_id="set",
                                                         from_message_id=place):
                    event = client.unmarshal_event_response(each)
                    self.assertNotEqual(event.id, place)
                    place = event.id
                    kinds.append(event.type)
                    if event.type in ENDS:
                        break
            except grpc.RpcError as why:
                self.assertEqual(why.code(), grpc.StatusCode.UNAVAILABLE)
                time.sleep(0.1)
        self.assertEqual(kinds[-1], EventType.succeeded)
        self.assertEqual(kinds.count(EventType.submitted), 1)
        self.assertEqual(client.get_job_status([job]).job_states[job], submit_pb2.SUCCEEDED)


class Methods(unittest.TestCase):
    def test_each_method_of_the_client_is_called_here(self):
        text = Path(__file__).read_text()
        public = {name for of in (ArmadaClient, JobLogClient) for name in vars(of)
                  if not name.startswith("_")}
        self.assertEqual({name for name in public if not re.search(rf"\.{name}\b", text)}, set())


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Goal: grpcurl, which knows no service, finds all of them by reflection, and each method of
Armada's API answers with the status that is due, streams with their end. Method: grpcurl as it is
against an argosyd; the methods that there have to be are those of messages/proto."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from deployment import InteropTest

PROTO = Path(__file__).resolve().parents[2] / "messages" / "proto"
QUEUE = "curl"
POD = {"containers": [{"name": "main", "image": "none", "command": ["/bin/sleep", "60"],
                       "resources": {kind: {"cpu": {"string": "50m"}, "memory": {"string": "32Mi"}}
                                     for kind in ("requests", "limits")}}]}
JOBS = {"queue": QUEUE, "jobSetId": "set"}
NEW_QUEUE = {"name": QUEUE, "priorityFactor": 1}
QUEUES = {"queues": [NEW_QUEUE]}
POLICY = {"name": "twice", "retryLimit": 2, "defaultAction": "RETRY_ACTION_RETRY"}

# The calls in their order: the method, its request, and the name of the status. JOB stands for the
# id of the job that is submitted here.
CALLS = [
    ("api.Submit/Health", {}, "OK"),
    ("api.Event/Health", {}, "OK"),
    ("api.Submit/CreateQueue", NEW_QUEUE, "OK"),
    ("api.Submit/CreateQueues", QUEUES, "OK"),
    ("api.Submit/UpdateQueue", NEW_QUEUE, "OK"),
    ("api.Submit/UpdateQueues", QUEUES, "OK"),
    ("api.Submit/GetQueue", {"name": QUEUE}, "OK"),
    ("api.Submit/GetQueues", {"num": 10}, "OK"),
    ("api.QueueService/GetQueues", {}, "OK"),
    ("api.QueueService/CreateQueue", NEW_QUEUE, "OK"),
    ("api.QueueService/CreateQueues", QUEUES, "OK"),
    ("api.QueueService/UpdateQueue", NEW_QUEUE, "OK"),
    ("api.QueueService/UpdateQueues", QUEUES, "OK"),
    ("api.QueueService/GetQueue", {"name": "none"}, "NotFound"),
    ("api.QueueService/CordonQueue", {"name": QUEUE}, "OK"),
    ("api.QueueService/UncordonQueue", {"name": QUEUE}, "OK"),
    ("api.Submit/SubmitJobs", {**JOBS, "jobRequestItems": [
        {"priority": 1, "namespace": "default", "podSpec": POD}]}, "OK"),
    ("api.Event/GetJobSetEvents", {"queue": QUEUE, "id": "set"}, "OK"),
    ("api.Event/Watch", {"queue": QUEUE, "jobSetId": "none"}, "NotFound"),
    ("api.Jobs/GetJobStatus", {"jobIds": ["JOB"]}, "OK"),
    ("api.Jobs/GetJobStatusUsingExternalJobUri", {}, "InvalidArgument"),
    ("api.Jobs/GetJobDetails", {"jobIds": ["JOB"]}, "OK"),
    ("api.Jobs/GetJobErrors", {"jobIds": ["JOB"]}, "OK"),
    ("api.Jobs/GetJobRunDetails", {}, "OK"),
    ("api.Jobs/GetActiveQueues", {}, "OK"),
    ("schedulerobjects.SchedulerReporting/GetSchedulingReport", {}, "OK"),
    ("schedulerobjects.SchedulerReporting/GetQueueReport", {"queueName": QUEUE}, "OK"),
    ("schedulerobjects.SchedulerReporting/GetJobReport", {"jobId": "JOB"}, "OK"),
    ("binoculars.Binoculars/Logs", {}, "NotFound"),
    ("binoculars.Binoculars/Cordon", {"nodeName": "none"}, "NotFound"),
    ("api.Submit/ReprioritizeJobs", {**JOBS, "jobIds": ["JOB"], "newPriority": 2}, "OK"),
    ("api.Submit/PreemptJobs", {**JOBS, "jobIds": ["JOB"]}, "OK"),
    ("api.Submit/CancelJobs", {**JOBS, "jobIds": ["JOB"]}, "OK"),
    ("api.Submit/CancelJobSet", JOBS, "OK"),
    ("api.QueueService/PreemptOnQueue", {"name": QUEUE}, "OK"),
    ("api.QueueService/CancelOnQueue", {"name": QUEUE}, "OK"),
    ("api.Executor/UpsertExecutorSettings", {}, "InvalidArgument"),
    ("api.Executor/DeleteExecutorSettings", {}, "InvalidArgument"),
    ("api.Executor/DeleteExecutor", {}, "InvalidArgument"),
    ("api.Executor/PreemptOnExecutor", {}, "InvalidArgument"),
    ("api.Executor/CancelOnExecutor", {}, "InvalidArgument"),
    ("api.Node/PreemptOnNode", {}, "InvalidArgument"),
    ("api.Node/CancelOnNode", {}, "InvalidArgument"),
    ("api.RetryPolicyService/CreateRetryPolicy", POLICY, "OK"),
    ("api.RetryPolicyService/UpdateRetryPolicy", POLICY, "OK"),
    ("api.RetryPolicyService/GetRetryPolicy", {"name": "twice"}, "OK"),
    ("api.RetryPolicyService/GetRetryPolicies", {}, "OK"),
    ("api.RetryPolicyService/DeleteRetryPolicy", {"name": "twice"}, "OK"),
    ("api.Submit/DeleteQueue", {"name": "none"}, "OK"),
    ("api.QueueService/DeleteQueue", {"name": "none"}, "OK"),
]


def services(folder):
    """The services of the files in a folder of messages/proto, with the methods of each."""
    found = {}
    for file in sorted((PROTO / folder).glob("*.proto")):
        text = re.sub(r"//.*", "", file.read_text())
        package = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
        for name, body in re.findall(r"^service (\w+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            found[f"{package[1]}.{name}"] = re.findall(r"rpc (\w+)\(", body)
    return found


class Grpcurl(InteropTest):
    def grpcurl(self, *words, request=None):
        """Returns the status, which grpcurl prints, and what it wrote."""
        data = [] if request is None else ["-d", json.dumps(request)]
        done = subprocess.run([os.environ["ARGOSY_GRPCURL"], "-plaintext", "-max-time", "30", *data,
                               self.server.address, *words], capture_output=True, text=True)
        code = re.search(r"Code: (\w+)", done.stderr)
        status = "OK" if done.returncode == 0 else code[1] if code else "no status"
        return status, done.stdout, done.stderr

    def test_reflection_names_every_service(self):
        status, out, err = self.grpcurl("list")
        self.assertEqual(status, "OK", err)
        there = set(out.split())
        for folder in ("api", "argosy", "grpc"):
            self.assertLessEqual(set(services(folder)), there)

    def test_health_is_serving(self):
        status, out, err = self.grpcurl("grpc.health.v1.Health/Check", request={})
        self.assertEqual(status, "OK", err)
        self.assertEqual(json.loads(out), {"status": "SERVING"})

    def test_each_method_answers_with_the_status_that_is_due(self):
        known = {f"{name}/{method}" for name, all_of in services("api").items()
                 for method in all_of}
        self.assertEqual(known, {method for method, _, _ in CALLS})
        job = ""
        for method, request, due in CALLS:
            with self.subTest(method):
                wanted = json.loads(json.dumps(request).replace("JOB", job))
                status, out, err = self.grpcurl(method, request=wanted)
                self.assertEqual(status, due, out + err)
                if method == "api.Submit/SubmitJobs":
                    job = json.loads(out)["jobResponseItems"][0]["jobId"]


if __name__ == "__main__":
    unittest.main()

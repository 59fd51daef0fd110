# SPDX-License-Identifier: Apache-2.0
"""Submits three jobs from Python by Armada's client and waits until each has ended.

It needs `pip install armada_client`, and an argosyd that serves gRPC: with the lines

    grpc:
      listen: 127.0.0.1:50051
      anonymousRole: operator

in a file, `argosyd --dev --config FILE` is one. The first argument is the server's address."""

import sys

import grpc
from armada_client.client import ArmadaClient
from armada_client.event import EventType
from armada_client.k8s.io.api.core.v1 import generated_pb2 as core_v1
from armada_client.k8s.io.apimachinery.pkg.api.resource.generated_pb2 import Quantity

QUEUE, JOB_SET = "python", "first"

client = ArmadaClient(grpc.insecure_channel(sys.argv[1] if sys.argv[1:] else "127.0.0.1:50051"))
try:
    client.create_queue(client.create_queue_request(name=QUEUE, priority_factor=1))
except grpc.RpcError as error:
    if error.code() != grpc.StatusCode.ALREADY_EXISTS:
        raise

size = {"cpu": Quantity(string="100m"), "memory": Quantity(string="64Mi")}
items = []
for number in range(3):
    pod = core_v1.PodSpec(containers=[core_v1.Container(
        name="main", command=["/bin/echo", f"hello from job {number}"],
        resources=core_v1.ResourceRequirements(requests=size, limits=size))])
    items.append(client.create_job_request_item(priority=1, namespace="jobs", pod_spec=pod))
answer = client.submit_jobs(queue=QUEUE, job_set_id=JOB_SET, job_request_items=items)

waiting = set()
for item in answer.job_response_items:
    if item.error:
        sys.exit(item.error)
    waiting.add(item.job_id)

ends = (EventType.succeeded, EventType.failed, EventType.cancelled)
stream = client.get_job_events_stream(queue=QUEUE, job_set_id=JOB_SET)
for each in stream:
    event = client.unmarshal_event_response(each)
    job = event.message.job_id
    if event.type in ends and job in waiting:
        print(job, event.type.value)
        waiting.remove(job)
    if not waiting:
        break
client.unwatch_events(stream)

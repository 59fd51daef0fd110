# SPDX-License-Identifier: Apache-2.0
"""Goal: Armada's Python client for asyncio works against argosyd as it is. Method: as for the other
one, with many calls and watches at the same time."""

import asyncio
import unittest

import grpc.aio
from armada_client.asyncio_client import ArmadaAsyncIOClient
from armada_client.event import EventType

from deployment import InteropTest, pod

JOB_SETS = 20


class AsyncioClient(InteropTest):
    async def one_job_set(self, client, job_set):
        """Submits a job and returns the kinds of its events up to its end."""
        item = client.create_job_request_item(priority=1, pod_spec=pod("true", cpu="1m"),
                                              namespace="default")
        answer = await client.submit_jobs(queue=self.queue, job_set_id=job_set,
                                          job_request_items=[item])
        kinds = []
        stream = await client.get_job_events_stream(queue=self.queue, job_set_id=job_set)
        async for each in stream:
            event = client.unmarshal_event_response(each)
            self.assertEqual(event.message.job_id, answer.job_response_items[0].job_id)
            kinds.append(event.type)
            if event.type == EventType.succeeded:
                return kinds
        return kinds

    def test_many_watches_at_a_time_see_each_their_own_events(self):
        async def all_at_once():
            async with grpc.aio.insecure_channel(self.server.address) as channel:
                client = ArmadaAsyncIOClient(channel)
                self.assertEqual((await client.submit_health()).status, 1)
                await client.create_queue(
                    client.create_queue_request(name=self.queue, priority_factor=1))
                self.assertEqual((await client.get_queue(self.queue)).name, self.queue)
                return await asyncio.gather(
                    *[self.one_job_set(client, f"set-{i}") for i in range(JOB_SETS)])

        seen = asyncio.run(asyncio.wait_for(all_at_once(), 60))
        self.assertEqual(len(seen), JOB_SETS)
        for kinds in seen:
            self.assertEqual(kinds[:2], [EventType.submitted, EventType.queued])
            self.assertEqual(kinds[-1], EventType.succeeded)


if __name__ == "__main__":
    unittest.main()

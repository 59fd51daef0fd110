# SPDX-License-Identifier: Apache-2.0
"""Goal: Armada's Python client works for users who log in by name and password, who may do what
their queues allow. Method: two users with a queue each, and the user who started the server."""

import base64
import unittest

import grpc
from armada_client.client import ArmadaClient
from armada_client.permissions import Permissions, Subject

from deployment import Argosyd, InteropTest, pod


class _Login(grpc.UnaryUnaryClientInterceptor):
    """What grpc.metadata_call_credentials does, which takes an encrypted channel."""

    def __init__(self, name, password):
        token = base64.b64encode(f"{name}:{password}".encode()).decode()
        self._header = ("authorization", "Basic " + token)

    def intercept_unary_unary(self, follow, details, request):
        metadata = list(details.metadata or []) + [self._header]
        return follow(details._replace(metadata=metadata), request)


class Users(InteropTest):
    @classmethod
    def setUpClass(cls):
        hashes = {name: Argosyd.hash_password(name + "-secret") for name in ("ann", "bob")}
        cls.server = Argosyd(settings=f"""
access:
  users:
    - {{name: ann, passwordHash: "{hashes['ann']}", groups: [makers]}}
    - {{name: bob, passwordHash: "{hashes['bob']}"}}
  permissions:
    - {{name: create_queue, groups: [makers]}}
""")
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def client(self, name=None, password=None):
        channel = grpc.insecure_channel(self.server.address)
        self.addCleanup(channel.close)
        if name:
            channel = grpc.intercept_channel(channel, _Login(name, password or name + "-secret"))
        return ArmadaClient(channel)

    def submit(self, client, queue):
        item = client.create_job_request_item(priority=1, pod_spec=pod("true"),
                                              namespace="default")
        return client.submit_jobs(queue=queue, job_set_id="set", job_request_items=[item])

    def create(self, client, name, **settings):
        client.create_queue(client.create_queue_request(name=name, priority_factor=1, **settings))

    def test_users_submit_to_their_own_queues(self):
        ann, bob = self.client("ann"), self.client("bob")
        self.create(ann, "anns")
        self.submit(ann, "anns")
        self.assert_status(grpc.StatusCode.PERMISSION_DENIED, "submit_any_jobs",
                           lambda: self.submit(bob, "anns"))
        self.assert_status(grpc.StatusCode.PERMISSION_DENIED, "could not find queue",
                           lambda: self.submit(bob, "none"))
        self.assert_status(grpc.StatusCode.PERMISSION_DENIED, "create_queue",
                           lambda: self.create(bob, "bobs"))
        self.assertEqual(bob.get_queue("anns").name, "anns")

    def test_verbs_are_for_users_and_groups(self):
        self.create(self.client(), "both", permissions=[
            Permissions(subjects=[Subject(kind="User", name="bob")], verbs=["submit"]),
            Permissions(subjects=[Subject(kind="Group", name="makers")], verbs=["cancel"])])
        ann, bob = self.client("ann"), self.client("bob")
        self.submit(bob, "both")
        self.assert_status(grpc.StatusCode.PERMISSION_DENIED, "'submit'",
                           lambda: self.submit(ann, "both"))
        ann.cancel_jobset(queue="both", job_set_id="set", filter_states=[])
        self.assert_status(grpc.StatusCode.PERMISSION_DENIED, "'cancel'",
                           lambda: bob.cancel_jobset(queue="both", job_set_id="set",
                                                     filter_states=[]))

    def test_a_wrong_password_is_told_as_an_unknown_user_is(self):
        for name in ("ann", "nobody"):
            self.assert_status(grpc.StatusCode.UNAUTHENTICATED,
                               "the user name or the password is wrong",
                               lambda: self.client(name, "wrong").get_queue("x"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Goal: our own package gets on with others: Armada's client in the same process, joblib and Dask,
and with the newest gRPC and protobuf. Method: the wheel in the environment of these clients."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from armada_client.client import ArmadaClient

import grpc
from deployment import InteropTest, pod

FOLDER = tempfile.TemporaryDirectory()
MAKER = Path(__file__).parents[2] / "bins/python/make_wheel.py"
SMALL = {"cpu": "500m", "memory": "64Mi"}


def setUpModule():
    unittest.addModuleCleanup(FOLDER.cleanup)
    made = subprocess.run([sys.executable, "-B", MAKER, FOLDER.name], check=True, text=True,
                          stdout=subprocess.PIPE)
    # An archive will do for this process; the worker of a job has no need of the package.
    sys.path.append(made.stdout.strip())


class OurOwnWheel(InteropTest):
    def setUp(self):
        import argosy

        self.client = argosy.Client("grpc://" + self.server.address, queue=self.queue)
        self.addCleanup(self.client.close)
        self.client.create_queue(self.queue)
        self.executor = argosy.Executor(self.client, **SMALL)

    def test_armadas_client_and_ours_share_a_process(self):
        armada = ArmadaClient(grpc.insecure_channel(self.server.address))
        item = armada.create_job_request_item(priority=1, pod_spec=pod("echo theirs"),
                                              namespace="default")
        answer = armada.submit_jobs(queue=self.queue, job_set_id="theirs",
                                    job_request_items=[item])
        job = self.client.job(answer.job_response_items[0].job_id)
        self.assertEqual((job.wait(60), job.logs()), ("succeeded", "theirs\n"))

    def test_joblib(self):
        import argosy.joblib
        import joblib

        argosy.joblib.register(self.executor)
        with joblib.parallel_config("argosy"):
            got = joblib.Parallel(n_jobs=2)(joblib.delayed(pow)(i, 2) for i in (3, 4))
        self.assertEqual(got, [9, 16])

    def test_dask(self):
        import dask

        part = dask.delayed(pow)(3, 2)
        self.assertEqual(dask.delayed(sum)([part, 1]).compute(scheduler=self.executor), 10)


if __name__ == "__main__":
    unittest.main()

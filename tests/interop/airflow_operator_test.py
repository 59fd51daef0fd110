# SPDX-License-Identifier: Apache-2.0
"""Goal: Armada's operator for Airflow works unmodified. Method: a DAG of jobs that succeed and
fail, run to its end by Airflow itself, with compressed calls and links to each job's page."""

import os
import subprocess
import sys
import unittest

import grpc
from armada_client.client import ArmadaClient

from deployment import Argosyd

QUEUE = "airflow"

# What a user of Airflow writes. Airflow's own home has to be set before it is imported, and so the
# DAG runs in a process of its own. Each line that it prints at the end is a task and its state.
DAG = """
import sys

import grpc
from airflow import DAG
from airflow.utils import timezone
from armada.model import GrpcChannelArgs
from armada.operators.armada import ArmadaOperator
from armada_client.armada import submit_pb2

sys.path.insert(0, sys.argv[2])
from deployment import pod

channel = GrpcChannelArgs(target=sys.argv[1], compression=grpc.Compression.Gzip)


def task(name, command, queue="airflow", **more):
    job = submit_pb2.JobSubmitRequestItem(priority=1, namespace="default", pod_spec=pod(command))
    return ArmadaOperator(task_id=name, name=name, channel_args=channel, armada_queue=queue,
                          job_request=job, job_set_prefix="dag-", poll_interval=1,
                          deferrable=False, retries=0,
                          lookout_url_template="http://lookout/?job_id={job_id}", **more)


with DAG("jobs", start_date=timezone.datetime(2026, 1, 1), schedule=None) as dag:
    task("first", "sleep 1") >> task("second", "true", reattach_policy="running_or_succeeded")
    task("failing", "exit 3")
    task("stray", "true", queue="nowhere")

run = dag.test()
for instance in run.get_task_instances():
    print("TASK", instance.task_id, instance.state)
"""


class AirflowOperator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Argosyd()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def run_in_airflow(self, *words):
        env = dict(os.environ, AIRFLOW_HOME=os.path.join(self.server.folder, "airflow"),
                   AIRFLOW__CORE__LOAD_EXAMPLES="False")
        return subprocess.run([sys.executable, *words], env=env, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_runs_jobs_to_their_ends(self):
        client = ArmadaClient(grpc.insecure_channel(self.server.address))
        client.create_queue(client.create_queue_request(name=QUEUE, priority_factor=1))
        made = self.run_in_airflow("-m", "airflow", "db", "migrate")
        self.assertEqual(made.returncode, 0, made.stdout)
        dag = os.path.join(self.server.folder, "dag.py")
        with open(dag, "w") as file:
            file.write(DAG)
        done = self.run_in_airflow(dag, self.server.address, os.getcwd())
        states = dict(line.split()[1:] for line in done.stdout.splitlines()
                      if line.startswith("TASK "))
        self.assertEqual(states, {"first": "success", "second": "success", "failing": "failed",
                                  "stray": "failed"}, done.stdout)
        self.assertIn("Termination reason: exited with code 3", done.stdout)
        self.assertIn("could not find queue: queue 'nowhere' does not exist", done.stdout)


if __name__ == "__main__":
    unittest.main()

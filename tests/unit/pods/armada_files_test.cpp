// SPDX-License-Identifier: Apache-2.0
// Goal: job files with all that the examples of Armada use are taken without a change, and become
// pods at the level baseline. Method: files that have the same keys and kinds of values, through
// the reader of files, the decoder of submissions and the maker of manifests, to an API server in
// memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/pod_manifest_codec.hpp"
#include "messages/submit_file/job_file.hpp"
#include "runtime/model/agent_run.hpp"
#include "tests/unit/codec/submit_fixture.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::SizeIs;

/// A container as those files have it: amounts as numbers, a shell with its script in the
/// arguments.
constexpr const char* container = R"(
      containers:
        - name: main
          imagePullPolicy: IfNotPresent
          image: busybox:latest
          command:
            - sh
          args:
            - -c
            - |
              echo begin >&2
              sleep $(( (RANDOM % 20) + 5 ))
          ports:
            - containerPort: 80
              name: http
              protocol: TCP
          resources:
            limits: {memory: 128Mi, cpu: 0.2}
            requests: {memory: 128Mi, cpu: 0.2}
)";

struct armada_files : kubernetes_fixture {
  /// Submits a job with these keys of the item and of the pod spec, and starts it. Returns the pod.
  json started(const std::string& of_item, const std::string& of_pod) {
    const auto text =
        "queue: example\njobSetId: job-set-1\njobs:\n  - priority: 0\n    namespace: jobs\n" +
        of_item +
        "    podSpec:\n      terminationGracePeriodSeconds: 0\n      restartPolicy: Never\n" +
        of_pod;
    const auto file = submit_file::read_jobs(text, "job.yaml");
    if (!file) return file.error().detail;
    const auto parts = submit_file::divide(*file, std::size_t{1} << 20, 100);
    const auto decoded = bench.decoder.decode(parts->front().bytes, bench.context);
    if (!decoded) return decoded.error().detail;
    const auto run = run_of(++serial);
    model::start_run order;
    order.run = run;
    order.node = "n1";
    order.queue = model::queue_name{decoded->queue};
    order.job_set = decoded->job_set;
    order.name_space = decoded->jobs[0]->name_space;
    order.spec = decoded->jobs[0]->spec;
    const auto made = codec::make_job_manifests(order);
    if (!made) return made.error().detail;
    run_launch launch;
    launch.order = std::make_shared<const model::start_run>(order);
    launch.pod = made->pod;
    launch.attached = made->attached;
    launch.control_plane = "cp1";
    backend->start(std::move(launch));
    backend->advance();
    take_phases();
    const auto pod = kube->pods.find(at(run));
    return pod == kube->pods.end() ? json(last.outcome.message) : pod->second;
  }

  codec::submit_bench bench;
  std::uint8_t serial = 0;
};

TEST_F(armada_files, run_as_they_are) {
  open();
  const std::vector<std::pair<const char*, const char*>> kinds{
      {"", ""},
      {"    labels: {kueue.x-k8s.io/queue-name: user-queue}\n", ""},
      {"    annotations:\n      armadaproject.io/hello: world\n"
       "      armadaproject.io/armada: https://example.com/a\n",
       ""},
      {"    annotations: {armadaproject.io/gangId: g1, armadaproject.io/gangCardinality: \"1\"}\n",
       "      priorityClassName: armada-preemptible\n"},
      {"", "      nodeSelector: {gpu: \"true\"}\n"},
      {"",
       "      volumes:\n        - name: data\n"
       "          persistentVolumeClaim: {claimName: claim-1}\n"},
      {"",
       "      volumes:\n        - name: test\n"
       "          secret: {defaultMode: 420, secretName: not-found}\n"},
      {"", "      securityContext: {runAsUser: 1000}\n"},
  };
  for (const auto& [of_item, of_pod] : kinds) {
    const auto pod = started(of_item, std::string{of_pod} + container);
    ASSERT_TRUE(pod.is_object()) << of_item << of_pod << pod;
    EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["limits"]["cpu"], "0.2");
    EXPECT_EQ(pod["spec"]["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  }
}

TEST_F(armada_files, have_their_services_and_ingresses_made) {
  open();
  const auto with_ingress = started(
      "    ingress:\n      - type: Ingress\n        ports:\n          - 80\n"
      "        tlsEnabled: false\n        certName: \"\"\n        useClusterIP: true\n"
      "        annotations:\n          kubernetes.io/ingress.class: \"nginx\"\n",
      container);
  ASSERT_TRUE(with_ingress.is_object()) << with_ingress;
  EXPECT_THAT(kube->attached, SizeIs(2));
  const auto with_service = started(
      "    services:\n      - type: NodePort\n        name: http\n        ports:\n          - 80\n",
      container);
  ASSERT_TRUE(with_service.is_object()) << with_service;
  EXPECT_THAT(kube->attached, SizeIs(3));
}

}  // namespace
}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
// Targets: what API servers and kubelets of Kubernetes, registries, images and shims say, and the
// files that processes leave for one another.
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/backends/container/image_facts.hpp"
#include "runtime/backends/container/oci_config.hpp"
#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/output/log_lines.hpp"
#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/kubernetes/trouble/disruption.hpp"
#include "runtime/backends/kubernetes/trouble/node_state.hpp"
#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"
#include "runtime/backends/kubernetes/trouble/pod_event.hpp"
#include "runtime/backends/kubernetes/trouble/pod_trouble.hpp"
#include "runtime/backends/kubernetes/trouble/refusal.hpp"
#include "runtime/backends/run/fields.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/kube/answers.hpp"
#include "runtime/kube/credentials/exec_credential.hpp"
#include "runtime/kube/follow/watch_event.hpp"
#include "runtime/kube/lease/lease_record.hpp"
#include "runtime/kube/read_json.hpp"
#include "runtime/trace/export/flight_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::fuzz {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

void look_at_pod(const json& object) {
  const auto pod = backends::read_pod(object);
  backends::pod_events events;
  if (auto event = backends::read_event(object)) {
    require(event->message.size() <= 1'000, "the message of an event is too long");
    static_cast<void>(events.add(std::move(*event)));
  }
  const auto node = backends::read_node_state(object);
  const backends::trouble_facts facts{
      .pod = &pod, .events = &events, .node = node ? &*node : nullptr};
  for (const auto now : {0s, 100'000s}) {
    const auto trouble = backends::check_pod(facts, {}, now);
    require(trouble.action == backends::trouble_action::none || !trouble.message.empty(),
            "a trouble says nothing");
  }
  static_cast<void>(backends::added_by_cluster(pod, pod.wait_message));
  static_cast<void>(backends::requests_text(object));
  backends::node_book book{{}};
  book.nodes_listed({object});
  book.pod_changed(object);
  static_cast<void>(book.nodes());
  for (const auto& [name, amount] : backends::requests_of(object))
    require(amount >= 0, "a pod requests less than nothing");
}

bool take_object(std::string_view text) {
  const auto object = kube::read_json(text);
  const auto other = json::parse(text, nullptr, false);
  if (object.is_discarded()) return false;
  require(!other.is_discarded(), "what is read is no JSON");
  look_at_pod(object);
  if (const auto* status =
          object.is_object() && object.contains("status") ? &object["status"] : nullptr) {
    static_cast<void>(backends::disruption_of(*status));
    static_cast<void>(backends::exceeds_its_limit(*status));
  }
  return true;
}

bool take_answer(std::string_view text) {
  static_cast<void>(kube::status_message(text));
  const kube::answer answer{409, std::string{text}};
  static_cast<void>(kube::server_message(answer));
  for (const int status : {400, 403, 404, 409, 422, 429, 500}) {
    const auto why = backends::judge_refusal({status, std::string{text}}, {}, status == 403);
    require(why.reason != nullptr, "a refusal has no reason");
  }
  const auto page = kube::read_list_page(text);
  const auto event = kube::read_watch_event(text);
  return page.has_value() || event.has_value();
}

bool take_lease(std::string_view text) {
  const auto lease = kube::read_lease(text);
  if (!lease) return refused(lease.error());
  const auto next = kube::update_lease("jobs", "l", *lease, {"me", 15s, 1}, wall_time{1s});
  require(kube::read_lease(next.body).has_value(), "a lease that was written is none");
  return true;
}

bool take_exec(std::string_view text) {
  const auto got = kube::read_exec_credential(text, "client.authentication.k8s.io/v1");
  return got ? true : refused(got.error());
}

bool take_cause(std::string_view text) {
  for (const auto who : {backends::said_by::scheduler, backends::said_by::kubelet,
                         backends::said_by::container, backends::said_by::mount})
    static_cast<void>(backends::cause_of(who, text));
  return backends::without_preemption(text).size() < text.size();
}

struct kube_text {
  bool (*take)(std::string_view);
  const char* seed;
};

constexpr const char* a_pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":
"armada-01h455vb4pex5vsknk084sn02q-0","namespace":"jobs","uid":"u","resourceVersion":"7",
"managedFields":[{"a":1}],"creationTimestamp":"2026-11-22T10:00:00Z","labels":{"argosy.io/run":
"01h455vb4pex5vsknk084sn02q-1","argosy.io/cluster":"east"},"annotations":{"argosy.io/queue":"q",
"argosy.io/requests":"{\"cpu\":500}","armada_owner":"ann"}},"spec":{"nodeName":"n1",
"terminationGracePeriodSeconds":20,"activeDeadlineSeconds":60,"initContainers":[{"name":"fetch"}],
"containers":[{"name":"main","resources":{"requests":{"cpu":"500m","memory":"64Mi"}}}],
"overhead":{"cpu":"10m"}},"status":{"phase":"Failed","reason":"Evicted","message":
"The node was low on resource: memory. ","conditions":[{"type":"PodScheduled","status":"False",
"reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu."},
{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI"}],
"containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":137,"reason":"OOMKilled",
"startedAt":"2026-11-22T10:00:02Z","finishedAt":"2026-11-22T10:00:04Z"}}},{"name":"side",
"state":{"waiting":{"reason":"ImagePullBackOff","message":"no such image"}}}]}})";

constexpr const char* a_node = R"({"metadata":{"name":"n1","labels":{"kubernetes.io/hostname":
"host-1","zone":"z1"}},"spec":{"unschedulable":true,"taints":[{"key":"k","value":"v",
"effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
"capacity":{"cpu":"4"},"conditions":[{"type":"Ready","status":"Unknown","message":"Kubelet stopped",
"lastTransitionTime":"2026-11-22T10:00:02Z"}]}})";

constexpr const char* a_kube_event = R"({"kind":"Event","type":"Warning","reason":"FailedMount",
"message":"MountVolume.SetUp failed","involvedObject":{"kind":"Pod","name":"p","namespace":"jobs",
"uid":"u"},"metadata":{"name":"e","namespace":"jobs"}})";

constexpr std::array kube_texts{
    kube_text{take_object, a_pod},
    kube_text{take_object, a_node},
    kube_text{take_object, a_kube_event},
    kube_text{take_answer, R"({"kind":"PodList","metadata":{"resourceVersion":"9","continue":"c"},
"items":[{"metadata":{"name":"p"}}]})"},
    kube_text{take_answer, R"({"type":"MODIFIED","object":{"metadata":{"resourceVersion":"3"}}})"},
    kube_text{take_answer, R"({"kind":"Status","status":"Failure","reason":"Forbidden","message":
"pods \"p\" is forbidden: exceeded quota: q, requested: cpu=1, used: cpu=2, limited: cpu=2",
"details":{"name":"p","kind":"pods","causes":[{"reason":"x","message":"y","field":"z"}]},
"code":403})"},
    kube_text{take_lease, R"({"kind":"Lease","metadata":{"uid":"u","resourceVersion":"4"},
"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":3,
"renewTime":"2026-11-22T10:00:02.000000Z"}})"},
    kube_text{take_exec, R"({"apiVersion":"client.authentication.k8s.io/v1",
"kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2026-11-22T10:00:02Z"}})"},
    kube_text{take_cause,
              "0/5 nodes are available: 1 node(s) had untolerated taint {a: b}, "
              "4 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available."},
};

const registered kube_objects{{.name = "kubernetes",
                               .what = form::text,
                               .choice_bytes = 1,
                               .take =
                                   [](std::string_view input) {
                                     const auto [which, text] = choose(input, kube_texts.size());
                                     return kube_texts[which].take(text);
                                   },
                               .seeds =
                                   [] {
                                     std::vector<std::string> out;
                                     for (std::size_t i = 0; i < kube_texts.size(); ++i)
                                       out.push_back(with_choice(i, kube_texts[i].seed));
                                     return out;
                                   },
                               .inputs = 4'000,
                               .memory_max = std::size_t{2} << 20}};

/// The output of a kubelet is the same however it is divided.
bool take_kubelet(std::string_view input) {
  const auto [step, bytes] = choose(input, 100);
  const auto read = [&](std::size_t piece) {
    backends::log_lines lines{{}};
    lines.begin_answer();
    for (std::size_t at = 0; at < bytes.size(); at += piece) lines.take(bytes.substr(at, piece));
    lines.end_answer(true);
    std::string out;
    while (!lines.all_given()) {
      const auto given = lines.give(1'000);
      require(!given.data.empty() || !given.lost.empty(), "nothing is given");
      out += given.lost + '|' + given.data;
    }
    return out + backends::to_text(lines.given());
  };
  const auto whole = read(bytes.size() + 1);
  require(read(step + 1) == whole, "output in pieces is another one");
  return whole.size() > 30;
}

const registered kubelet_output{
    {.name = "kubelet_output",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_kubelet,
     .seeds =
         [] {
           return std::vector{with_choice(3,
                                          "2026-11-22T10:00:02.000000001Z first line\n"
                                          "2026-11-22T10:00:02.000000001Z second\n"
                                          "2026-11-22T10:00:03Z \n2026-11-22T10:00:04Z end"),
                              with_choice(20,
                                          "failed to try resolving symlinks\n"
                                          "2026-11-22T10:00:02Z a\n")};
         },
     .inputs = 10'000}};

bool take_image_file(std::string_view input) {
  const auto [which, text] = choose(input, 4);
  switch (which) {
    case 0: {
      const auto digest = backends::manifest_in_index(text);
      return digest ? true : refused(digest.error());
    }
    case 1: {
      const auto digest = backends::config_in_manifest(text);
      return digest ? true : refused(digest.error());
    }
    case 2: {
      auto facts = backends::read_image_config(text);
      if (!facts) return refused(facts.error());
      facts->digest = "sha256:1";
      const auto bytes = backends::encode(*facts);
      if (!bytes) return refused(bytes.error());
      const auto again = backends::decode_facts(*bytes);
      require(again && *again == *facts, "the facts of an image do not come back");
      return true;
    }
    default: {
      const auto end = std::min(text.find('|'), text.size());
      const auto ids = backends::user_of_image(text.substr(0, end), text.substr(end),
                                               text.substr(std::min(text.size(), end + 1)));
      return ids ? true : refused(ids.error());
    }
  }
}

const registered images{
    {.name = "images",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_image_file,
     .seeds =
         [] {
           const std::string digest =
               "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
           return std::vector{
               with_choice(0, R"({"schemaVersion":2,"manifests":[{"digest":")" + digest + "\"}]}"),
               with_choice(1, R"({"config":{"digest":")" + digest + R"("},"layers":[]})"),
               with_choice(2, R"({"architecture":"amd64","os":"linux","config":{"Entrypoint":["a"],
"Cmd":["b","c"],"Env":["A=b"],"WorkingDir":"/w","User":"nobody:users"}})"),
               with_choice(3,
                           "nobody:users|root:x:0:0::/:/bin/sh\nnobody:x:99:98::/:/bin/false\n"
                           "users:x:100:\n")};
         },
     .inputs = 8'000}};

const argosy::testing::temp_folder& folder() {
  static const argosy::testing::temp_folder out;
  return out;
}

std::filesystem::path put(std::string_view bytes) {
  auto path = folder().path() / "input";
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
  return path;
}

template <class Record>
bool takes_record(std::string_view bytes) {
  const auto path = put(bytes);
  const auto read = backends::read_record<Record>(path);
  if (!read) return refused(read.error());
  const auto written = backends::encode(*read);
  if (!written) return refused(written.error());
  put(*written);
  const auto again = backends::read_record<Record>(path);
  require(again && *again == *read, "a record does not come back");
  return true;
}

constexpr std::array record_takers{
    takes_record<backends::shim_plan>,   takes_record<backends::shim_started>,
    takes_record<backends::shim_status>, takes_record<backends::pod_ends>,
    takes_record<backends::stop_order>,  takes_record<backends::lease_record>};

backends::shim_plan some_plan() {
  backends::shim_plan out;
  out.run = "01h-1";
  out.argv = {"sleep", "1"};
  out.env = {{"A", "b"}};
  out.user = 1'000;
  out.hidden = {"/var/lib/agent"};
  out.pod.crun = "/usr/bin/crun";
  out.pod.containers = {{"main", false, "image", "config", 500, 1 << 20}};
  out.pod.volumes = {{true, 5}};
  out.pod.parts = {{0, 0, "a"}};
  return out;
}

const registered run_files{
    {.name = "run_files",
     .choice_bytes = 1,
     .take =
         [](std::string_view input) {
           const auto [which, bytes] = choose(input, record_takers.size());
           return record_takers[which](bytes);
         },
     .seeds =
         [] {
           backends::shim_status status;
           status.reason = "Error";
           status.exit_code = 3;
           status.containers = {{"main", 3, 0, "Error", "why"}};
           return std::vector{
               with_choice(0, backends::encode(some_plan()).value()),
               with_choice(1, backends::encode(backends::shim_started{1, 2, 3, {"n"}}).value()),
               with_choice(2, backends::encode(status).value()),
               with_choice(3, backends::encode(backends::pod_ends{status.containers}).value()),
               with_choice(4, backends::encode(backends::stop_order{5, "why", "Stopped"}).value()),
               with_choice(5, backends::encode(backends::lease_record{"boot", {}}).value())};
         },
     .inputs = 2'500}};

/// A file of the last seconds in which anything stands where anything did.
bool take_flight(std::string_view bytes) {
  static const auto sound = [] {
    const auto path = folder().path() / "flight";
    auto file = trace::flight_file::open(path).value();
    trace::finished_span span;
    span.trace = {1, 2};
    span.name = "submit";
    file->add({span, span, span});
    return path;
  }();
  std::fstream{sound, std::ios::binary | std::ios::in | std::ios::out} << bytes;
  auto file = trace::flight_file::open(sound);
  if (!file) return refused(file.error());
  const auto spans = (*file)->spans();
  require(spans.size() <= trace::flight_file::spans_max, "there are more spans than fit");
  (*file)->add({trace::finished_span{}});
  return !spans.empty();
}

const registered flights{{.name = "flight_files",
                          .take = take_flight,
                          .seeds =
                              [] {
                                std::string head(16, '\0');
                                const std::uint64_t format = 0x6172'676f'666c'0001;
                                for (std::size_t i = 0; i < 8; ++i)
                                  head[i] = static_cast<char>(format >> (8 * i));
                                head[8] = 3;
                                return std::vector{head + std::string(400, '\1')};
                              },
                          .inputs = 300,
                          .memory_max = std::size_t{4} << 20}};

}  // namespace
}  // namespace argosy::fuzz

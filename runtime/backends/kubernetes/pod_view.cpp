// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_view.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/trouble/disruption.hpp"
#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using object::json;
using object::part;
using object::text;

/// How the containers of a failed pod ended, for users, in the order of `ended`. Init
/// containers are there only if they failed. Texts are cut.
std::vector<model::container_end> ends_of(const std::vector<ended_container>& ended) {
  constexpr std::size_t text_max = 1000;
  std::vector<model::container_end> out;
  for (const auto& each : ended) {
    if ((each.is_init && each.exit_code == 0) || out.size() == model::container_ends_max) continue;
    out.push_back({each.name, static_cast<std::int32_t>(each.exit_code), each.reason,
                   std::string{cut_to_size(each.message, text_max)}});
  }
  return out;
}

constexpr std::string_view pod_prefix = "armada-";
constexpr std::size_t message_max = 1000;
constexpr int kill_signal = 9;

std::string sentence(std::string head, const std::string& rest) {
  if (!rest.empty()) head += ": " + std::string{cut_to_size(rest, message_max)};
  return head;
}

/// The condition of this type; null if there is none.
const json& condition(const json& status, const char* type) {
  for (const auto& each : part(status, "conditions"))
    if (text(each, "type") == type) return each;
  return part(status, "");
}

/// Whether an init container that has to end has not succeeded yet. One that is restarted always
/// runs beside the others and never has to.
bool has_open_init(const json& pod) {
  for (const auto& each : part(pod, "spec", "initContainers")) {
    if (text(each, "restartPolicy") == "Always") continue;
    bool done = false;
    for (const auto& status : part(pod, "status", "initContainerStatuses")) {
      const auto& ended = part(status, "state", "terminated");
      done = done || (text(status, "name") == text(each, "name") && ended.is_object() &&
                      object::number(ended, "exitCode") == 0);
    }
    if (!done) return true;
  }
  return false;
}

/// Adds what the statuses of one kind of containers say.
void read_containers(const json& statuses, bool is_init, pod_view& out) {
  auto& ended = out.ended;
  for (const auto& each : statuses) {
    const auto& state = part(each, "state");
    const auto& terminated = part(state, "terminated");
    const auto& running = part(state, "running");
    if (terminated.is_object()) {
      ended.push_back({text(each, "name"), is_init, object::number(terminated, "exitCode"),
                       object::number(terminated, "signal"), text(terminated, "reason"),
                       text(terminated, "message"), object::time(terminated, "finishedAt")});
      out.finished_ns = std::max(out.finished_ns, ended.back().finished_ns);
    }
    if (!terminated.is_object() && !running.is_object()) continue;
    out.began = true;
    const auto started = object::time(running.is_object() ? running : terminated, "startedAt");
    if (running.is_object()) out.running.push_back({text(each, "name"), started});
    if (!is_init && started > 0 && (out.started_ns == 0 || started < out.started_ns))
      out.started_ns = started;
  }
}

const ended_container* first_failed(const std::vector<ended_container>& ended) {
  const ended_container* first = nullptr;
  for (const auto& each : ended)
    if (each.exit_code != 0 && (first == nullptr || each.finished_ns < first->finished_ns))
      first = &each;
  return first;
}

model::run_outcome outcome_of(const ended_container& from) {
  model::run_outcome out;
  out.exit_code = static_cast<std::int32_t>(from.exit_code);
  out.signal = static_cast<std::int32_t>(from.signal);
  out.reason = from.reason.empty() ? shim_status::failed : from.reason;
  const auto who = std::string{from.is_init ? "init container '" : "container '"} + from.name + "'";
  if (out.reason == shim_status::oom_killed) {
    out.signal = kill_signal;
    out.message = who + " used more memory than its limit";
  } else if (out.reason == shim_status::start_error || out.reason == "ContainerCannotRun") {
    out.reason = shim_status::start_error;
    out.message = sentence(who + " could not be started", from.message);
  } else if (out.reason == "ContainerStatusUnknown") {
    out = {std::nullopt, 0, reason::lost,
           sentence("nobody saw how " + who + " ended", from.message)};
  } else {
    out.message =
        sentence(who + " exited with code " + std::to_string(from.exit_code), from.message);
  }
  return out;
}

/// Whether the text names the resource behind this word, and not one whose name is longer.
bool names(const std::string& said, const std::string& word, const std::string& resource) {
  const auto what = word + resource;
  for (auto at = said.find(what); at != std::string::npos; at = said.find(what, at + 1)) {
    const auto rest = std::string_view{said}.substr(at + what.size());
    if (rest.empty() || rest.starts_with(',') || rest.starts_with(". ")) return true;
  }
  return false;
}

void read_added_requests(const json& pod, pod_view& out) {
  const auto& annotations = part(pod, "metadata", "annotations");
  const auto made_with = json::parse(text(annotations, pod_key::requests), nullptr, false);
  if (!made_with.is_object()) return;
  for (const auto& [resource, amount] : requests_of(pod))
    if (object::number(made_with, resource.c_str()) < amount)
      out.added_requests.push_back(resource);
}

void read_failure(const json& status, pod_view& out) {
  out.phase = run_phase::failed;
  const auto* first = first_failed(out.ended);
  if (first != nullptr) {
    out.outcome = outcome_of(*first);
    if (out.outcome.exit_code) out.outcome.containers = ends_of(out.ended);
  }
  const auto& why = out.status_reason;
  if (why == shim_status::deadline_exceeded) {
    out.outcome.reason = why;
    out.outcome.message = sentence("the pod ran longer than its deadline", text(status, "message"));
  } else if (exceeds_its_limit(status)) {
    out.outcome.reason = model::reason_storage_exceeded;
    out.outcome.message = sentence("it stored more than it may", text(status, "message"));
  } else if (const auto by = disruption_of(status)) {
    out.outcome.reason = by->reason;
    out.outcome.message = by->message;
    // An evicted pod of which no container has begun did not run; of a lost node nobody knows.
    const bool may_have_begun =
        out.outcome.reason == reason::lost || out.outcome.reason == pod_reason::node_gone;
    if (!out.began && !may_have_begun) {
      out.phase = run_phase::refused;
      // That a node is short of something before anything has begun speaks against it.
      const bool blames_node = out.outcome.reason == pod_reason::evicted;
      out.outcome = {std::nullopt, 0, blames_node ? reason::backend_error : by->reason,
                     by->message};
    }
  } else if (first == nullptr && !out.began && !why.empty()) {
    out.phase = run_phase::refused;
    const auto added = added_by_cluster(out, why);
    const auto whose = added.empty() ? cause_of(said_by::kubelet, why).whose : fault::placement;
    out.outcome = {
        std::nullopt, 0, reason_of(whose, model::reason_unsupported),
        sentence("the kubelet refused the pod with reason " + why, text(status, "message")) +
            added};
  } else if (first == nullptr) {
    out.outcome.reason = why.empty() ? shim_status::failed : why;
    out.outcome.message = sentence("the pod failed", text(status, "message"));
  } else if (out.deleting) {
    out.outcome.reason = pod_reason::deleted;
    out.outcome.message = "the pod was deleted by somebody else; " + out.outcome.message;
  }
}

pod_wait wait_of(const std::string& word) {
  static constexpr std::array<std::string_view, 7> images{
      "ErrImagePull",        "ImagePullBackOff",  "InvalidImageName",         "ErrImageNeverPull",
      "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed"};
  static constexpr std::array<std::string_view, 2> usual{"ContainerCreating", "PodInitializing"};
  if (std::ranges::find(images, word) != images.end()) return pod_wait::image;
  const bool is_usual = word.empty() || std::ranges::find(usual, word) != usual.end();
  return is_usual ? pod_wait::nothing : pod_wait::container;
}

/// No scheduler has said anything of the pod.
std::string unplaced(const std::string& scheduler) {
  if (scheduler.empty() || scheduler == "default-scheduler")
    return "Kubernetes has not placed the pod";
  return "no scheduler '" + scheduler + "' has looked at the pod";
}

void read_waits(const json& pod, const json& status, pod_view& out) {
  const auto& placed = condition(status, "PodScheduled");
  if (text(placed, "status") == "False") {
    out.wait = pod_wait::placement;
    out.wait_reason = text(placed, "reason");
    out.wait_message = sentence("Kubernetes finds no place for the pod", text(placed, "message"));
    out.waits_since_ns = object::time(placed, "lastTransitionTime");
    return;
  }
  bool any = false;
  for (const auto* kind : {"initContainerStatuses", "containerStatuses"})
    for (const auto& each : part(status, kind)) {
      any = true;
      const auto& waiting = part(each, "state", "waiting");
      if (!waiting.is_object()) continue;
      out.waiting.push_back({text(each, "name"), text(waiting, "reason"),
                             std::string{cut_to_size(text(waiting, "message"), message_max)}});
      const auto wait = wait_of(text(waiting, "reason"));
      if (wait == pod_wait::nothing || out.wait != pod_wait::nothing) continue;
      out.wait = wait;
      out.wait_reason = text(waiting, "reason");
      out.wait_message =
          sentence("container '" + text(each, "name") + "' waits with reason " + out.wait_reason,
                   text(waiting, "message"));
    }
  if (out.wait == pod_wait::nothing && !out.began) out.wait = pod_wait::creating;
  if (any || !part(status, "startTime").is_null()) return;
  out.wait = out.node.empty() ? pod_wait::placement : pod_wait::kubelet;
  out.waits_since_ns = object::time(part(pod, "metadata"), "creationTimestamp");
  out.wait_reason = reason::backend_error;
  out.wait_message = out.node.empty()
                         ? unplaced(text(part(pod, "spec"), "schedulerName"))
                         : "the kubelet of node '" + out.node + "' has not taken the pod up";
}

void read_identity(const json& pod, pod_view& out) {
  const auto& meta = part(pod, "metadata");
  out.name_space = text(meta, "namespace");
  out.name = text(meta, "name");
  out.uid = text(meta, "uid");
  out.version = text(meta, "resourceVersion");
  out.deleting = part(meta, "deletionTimestamp").is_string();
  const auto& labels = part(meta, "labels");
  out.created_ns = object::time(meta, "creationTimestamp");
  out.run = parse_run_key(text(labels, pod_key::run));
  if (out.run && run_of_pod(out.name) != out.run) out.run.reset();
  out.cluster = text(labels, pod_key::cluster);
  out.control_plane = text(labels, pod_key::control_plane);
  const auto& annotations = part(meta, "annotations");
  out.owner = text(annotations, pod_key::owner);
  out.queue = text(annotations, pod_key::queue);
  out.job_set = text(annotations, pod_key::job_set);
  out.lapses = text(annotations, pod_key::lapse) == "true";
  const auto& spec = part(pod, "spec");
  out.node = text(spec, "nodeName");
  out.runtime_class = text(spec, "runtimeClassName");
  if (const auto& grace = part(spec, "terminationGracePeriodSeconds"); grace.is_number_integer())
    out.grace_seconds = grace.get<std::int64_t>();
  out.deadline_seconds = object::number(spec, "activeDeadlineSeconds");
  if (const auto& containers = part(spec, "containers");
      containers.is_array() && !containers.empty())
    out.container = text(containers.front(), "name");
}

}  // namespace

std::optional<model::run_key> parse_run_key(const std::string& text) {
  const auto dash = text.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto job = parse_ulid(std::string_view{text}.substr(0, dash));
  const auto number = whole_number<std::uint32_t>(std::string_view{text}.substr(dash + 1));
  if (!job || !number) return std::nullopt;
  const model::run_key out{*job, *number};
  // "-01" and large letters would give one run several names.
  return to_string(out) == text ? std::optional{out} : std::nullopt;
}

std::string pod_of_run(const model::run_key& run) {
  return std::string{pod_prefix} + to_string(run.job) + "-" +
         std::to_string(std::max(run.number, 1U) - 1);
}

std::optional<model::run_key> run_of_pod(const std::string& name) {
  if (!name.starts_with(pod_prefix)) return std::nullopt;
  auto key = parse_run_key(name.substr(pod_prefix.size()));
  if (!key || key->number == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  ++key->number;
  return key;
}

std::string requests_text(const nlohmann::json& pod) {
  auto out = json::object();
  for (const auto& [resource, amount] : requests_of(pod)) out[resource] = amount;
  return out.dump();
}

std::string added_by_cluster(const pod_view& pod, const std::string& said) {
  for (const auto& each : pod.added_requests)
    if (names(said, "Insufficient ", each) || said == "OutOf" + each)
      return ". The job did not ask for so much " + each +
             ": the cluster has added it to the pod, as the default of a LimitRange or a webhook "
             "of the namespace does, or the overhead of a runtime class";
  return {};
}

pod_view read_pod(const nlohmann::json& pod) {
  pod_view out;
  read_identity(pod, out);
  const auto& status = part(pod, "status");
  read_containers(part(status, "initContainerStatuses"), true, out);
  read_containers(part(status, "containerStatuses"), false, out);
  out.status_reason = text(status, "reason");
  out.node_address = text(status, "hostIP");
  out.init_open = has_open_init(pod);
  if (const auto by = disruption_of(status)) {
    out.ended_by = by->reason;
    out.ended_by_message = by->message;
  }
  if (out.started_ns == 0) out.started_ns = object::time(status, "startTime");
  const auto phase = text(status, "phase");
  if (phase == "Running") {
    out.phase = run_phase::running;
    out.began = true;
  } else if (phase == "Succeeded") {
    out.phase = run_phase::succeeded;
    out.began = true;
    out.outcome = {0, 0, shim_status::completed, {}};
  } else if (phase == "Failed") {
    read_added_requests(pod, out);
    read_failure(status, out);
  } else {
    read_added_requests(pod, out);
    read_waits(pod, status, out);
  }
  return out;
}

}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/pod_trouble.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

constexpr boot_time no_time = boot_time::max();
constexpr const char* given_by_us = " (kubernetes.podDefaults of the agent names it)";

boot_time later(boot_time from, boot_time span) {
  return from > no_time - span ? no_time : from + span;
}

/// "90s", "5m".
std::string span_text(boot_time span) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(span).count();
  return seconds >= 60 && seconds % 60 == 0 ? std::to_string(seconds / 60) + "m"
                                            : std::to_string(seconds) + "s";
}

/// Kubernetes' own sentences, so that others can follow them.
std::string undotted(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::string node_text(const std::string& node, const node_state& state) {
  std::string out = "node '" + node + "'";
  if (state.is_gone) return out + " is not in Kubernetes any more";
  out += state.is_silent ? " has fallen silent" : " is not ready";
  return state.message.empty() ? out : out + ": " + undotted(state.message);
}

/// Collects what may be said of one pod; the gravest counts, and of equal ones the first.
class finder {
 public:
  finder(const trouble_facts& facts, const trouble_rules& rules, boot_time now)
      : facts_(facts), pod_(*facts.pod), rules_(rules), now_(now) {}

  pod_trouble find() {
    if (is_final(pod_.phase)) return {};
    if (facts_.ending_since) {
      ending();
      return take();
    }
    deleted();
    node();
    if (pod_.phase == run_phase::running) deadline();
    if (pod_.phase == run_phase::pending) {
      checks();
      waiting();
      init_containers();
    }
    return take();
  }

 private:
  void add(boot_time since, boot_time span, pod_trouble found) {
    const auto due = later(since, span);
    if (now_ < due)
      again_ = std::min(again_, due);
    else if (found.action > best_.action)
      best_ = std::move(found);
  }
  void note(boot_time since, boot_time span, const char* kind, std::string message) {
    add(since, span, {trouble_action::note, kind, {}, std::move(message), no_time});
  }

  pod_trouble take() {
    best_.again = again_;
    return std::move(best_);
  }

  void ending() {
    const auto limit = later(facts_.ending_grace, rules_.ending_wait);
    std::string text = "its pod is being ended and is still there " + span_text(limit) +
                       " later, so that the run may not be over";
    if (facts_.node != nullptr) text += ": " + node_text(pod_.node, *facts_.node);
    note(*facts_.ending_since, limit, "ending",
         std::move(text) + ". The agent asks for its end again and again" + node_remedy());
  }

  std::string node_remedy() const {
    if (pod_.node.empty()) return {};
    return ". If the machine is certainly off, delete the Node object '" + pod_.node +
           "', or taint it with node.kubernetes.io/out-of-service, so that Kubernetes lets the "
           "pod go";
  }

  void deleted() {
    if (!pod_.deleting) return;
    note({}, {}, "deleting",
         pod_.ended_by.empty() ? "somebody has deleted its pod, which ends it"
                               : "its pod is being ended: " + pod_.ended_by_message);
  }

  void node() {
    if (facts_.node == nullptr || pod_.node.empty()) return;
    note(facts_.node_since, rules_.note_after, "node",
         node_text(pod_.node, *facts_.node) +
             ". The job runs nowhere else until its pod is certainly gone" + node_remedy());
  }

  /// The kubelet ends such a pod by itself; one that does not is out of order.
  void deadline() {
    if (pod_.deadline_seconds <= 0) return;
    const boot_time allowed = std::chrono::seconds{pod_.deadline_seconds + pod_.grace_seconds};
    add(facts_.running_since, later(allowed, rules_.deadline_wait),
        {trouble_action::fail, "deadline", shim_status::deadline_exceeded,
         "the pod ran longer than its deadline of " +
             span_text(std::chrono::seconds{pod_.deadline_seconds}) +
             ", and its kubelet did not end it",
         no_time});
  }

  void apply(const check_rule& rule, const char* kind, const std::string& reason,
             const std::string& what) {
    const bool fails = rule.action == check_action::fail;
    add(facts_.pending_since, rule.grace_period,
        {fails ? trouble_action::fail : trouble_action::give_back, kind,
         fails ? reason : std::string{model::reason_refused_here},
         what + " (by the rule '" + rule.expression.text() + "' of the cluster)", no_time});
  }

  static bool fits(const check_rule& rule, const std::string& text) {
    return rule.expression.is_in(text) != rule.inverse;
  }

  void checks() {
    for (const auto& event : facts_.events->all())
      for (const auto& check : rules_.event_checks) {
        if ((check.type == event_type::warning) != event.is_warning ||
            !fits(check.rule, event.message))
          continue;
        apply(check.rule, "event", event.reason, event.reason + ": " + event.message);
        break;
      }
    const auto look = [this](const std::string& name, const std::string& reason,
                             const std::string& message, bool terminated) {
      for (const auto& check : rules_.container_checks) {
        if ((check.state == container_state::terminated) != terminated || !fits(check.rule, reason))
          continue;
        apply(check.rule, "state", reason,
              "container '" + name + "' " + (terminated ? "ended" : "waits") + " with reason " +
                  reason + (message.empty() ? "" : ": " + message));
        break;
      }
    };
    for (const auto& each : pod_.waiting) look(each.name, each.reason, each.message, false);
    for (const auto& each : pod_.ended) look(each.name, each.reason, each.message, true);
  }

  boot_time limit_of(cause_wait wait) const {
    switch (wait) {
      case cause_wait::nothing:
        return boot_time{0};
      case cause_wait::node:
        return rules_.node_wait;
      case cause_wait::kubelet:
        return rules_.kubelet_wait;
      case cause_wait::image:
        return rules_.image_wait;
      case cause_wait::volume:
        return rules_.volume_wait;
      case cause_wait::making:
        break;
    }
    return rules_.start_wait == boot_time{0} ? no_time : rules_.start_wait;
  }

  /// Adds what follows if the pod goes on to wait for that, and before that what the user is told.
  void wait_for(const char* kind, const pod_cause& cause, const char* of_job,
                const std::string& what, const std::string& more = {}) {
    const auto limit = limit_of(cause.wait);
    const bool is_missing = cause.whose == fault::missing;
    const bool fails = cause.whose == fault::job || is_missing;
    note(facts_.wait_since, rules_.note_after, kind,
         what + more +
             (limit == no_time ? std::string{}
                               : ". If that lasts " + span_text(limit) +
                                     (fails ? ", the run fails" : ", the run is given back")));
    add(facts_.wait_since, limit,
        {fails ? trouble_action::fail : trouble_action::give_back, kind,
         reason_of(cause.whose, of_job), what + " (for longer than " + span_text(limit) + ")",
         no_time, cause.whose == fault::cluster ? model::refusal_to_all::server : "", is_missing});
  }

  void waiting() {
    const auto* warning = facts_.events->last_warning();
    const auto told =
        warning == nullptr ? std::string{} : warning->reason + ": " + undotted(warning->message);
    const auto said = without_preemption(pod_.wait_message);
    switch (pod_.wait) {
      case pod_wait::nothing:
        return;
      case pod_wait::placement:
        return placement(said);
      case pod_wait::kubelet:
        return wait_for("kubelet", cause_of(said_by::kubelet, said), model::reason_unsupported,
                        said, warning == nullptr ? told : ". " + told);
      case pod_wait::image:
        return image(said);
      case pod_wait::container:
        return wait_for("container", cause_of(said_by::container, pod_.wait_reason),
                        pod_.wait_reason.c_str(), said);
      case pod_wait::creating:
        return creating(warning, told);
    }
  }

  void placement(const std::string& said) {
    auto cause = cause_of(said_by::scheduler, said);
    std::string added;
    if (cause.whose == fault::node) added = added_by_cluster(pod_, said);
    if (!added.empty()) cause.whose = fault::placement;
    wait_for("place", cause, model::reason_cannot_begin, said + added);
  }

  void image(const std::string& said) {
    auto cause = cause_of(said_by::container, pod_.wait_reason);
    const auto& told = facts_.events->all();
    const auto missing =
        std::ranges::find(told, "FailedToRetrieveImagePullSecret", &pod_event::reason);
    const bool is_ours =
        cause.wait == cause_wait::image && missing != told.end() && facts_.own != nullptr &&
        std::ranges::any_of(facts_.own->pull_secrets, [&](const std::string& name) {
          return missing->message.find(name) != std::string::npos;
        });
    if (!is_ours) return wait_for("image", cause, pod_.wait_reason.c_str(), said);
    cause.whose = fault::cluster;
    wait_for("image", cause, "", said + ". " + undotted(missing->message) + given_by_us);
  }

  /// Kubelets repeat their warnings as long as these hold, and at least every two minutes. Without
  /// one, pulling a large image takes a while, which is nothing to tell of.
  void creating(const pod_event* warning, const std::string& told) {
    constexpr boot_time repeated = std::chrono::minutes{3};
    const auto& nothing = cause_of(said_by::mount, {});
    const auto limit = limit_of(nothing.wait);
    add(facts_.wait_since, limit,
        {trouble_action::give_back, "creating", reason_of(nothing.whose, ""),
         "its containers were not made within " + span_text(limit) +
             (warning == nullptr ? std::string{} : ". The last warning: " + told),
         no_time});
    if (warning == nullptr) return;
    const auto what = "its containers are not made yet. " + told;
    auto cause = cause_of(said_by::mount, told);
    const bool is_ours = facts_.own != nullptr &&
                         told.find("no runtime for") != std::string::npos &&
                         std::ranges::find(facts_.own->runtime_classes, pod_.runtime_class) !=
                             facts_.own->runtime_classes.end();
    if (is_ours && cause.wait == cause_wait::kubelet) {
      cause.whose = fault::cluster;
      return wait_for("creating", cause, "", what + given_by_us);
    }
    if (now_ < later(warning->seen, repeated) && cause.wait != cause_wait::making)
      wait_for("creating", cause, model::reason_cannot_begin, what);
    else
      note(facts_.wait_since, rules_.note_after, "creating", what);
  }

  void init_containers() {
    if (!pod_.init_open || rules_.init_wait == boot_time{0}) return;
    add(facts_.pending_since, rules_.init_wait,
        {trouble_action::fail, "init", pod_reason::init_deadline,
         "its init containers have not ended within " + span_text(rules_.init_wait) +
             ", which is the cluster's limit (kubernetes.initWait)",
         no_time});
  }

  const trouble_facts& facts_;
  const pod_view& pod_;
  const trouble_rules& rules_;
  const boot_time now_;
  pod_trouble best_;
  boot_time again_ = no_time;
};

}  // namespace

pod_trouble check_pod(const trouble_facts& facts, const trouble_rules& rules, boot_time now) {
  return finder{facts, rules, now}.find();
}

std::string trouble_over(const std::string& kind) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words{
      {{"place", "its pod has a place now"},
       {"kubelet", "its node has taken the pod up"},
       {"image", "its images can be pulled now"},
       {"container", "its containers can be made now"},
       {"creating", "its containers are made now"},
       {"node", "its node looks after the pod again"},
       {"server", "the API server of its cluster answers again"}}};
  const auto found = std::ranges::find(words, kind, [](const auto& each) { return each.first; });
  return found == words.end() ? std::string{} : std::string{found->second};
}

}  // namespace argosy::backends

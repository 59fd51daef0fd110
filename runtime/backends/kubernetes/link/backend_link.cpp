// SPDX-License-Identifier: Apache-2.0
// The part of pod_backend that finds out whether the API server answers.
#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/pod_backend.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::backends {

namespace {

const logging::logger logger{"kubernetes"};

/// A sentence that changes while the server is away is told at most so often.
constexpr boot_time retell_after = std::chrono::minutes{1};
/// The same in the beginning, when nothing is known of the cluster. A cluster that has not told all
/// by then is told of.
constexpr boot_time quiet_start = std::chrono::seconds{3};
/// A longer reason would not be told to the control plane.
constexpr std::size_t why_size_max = 900;

std::string why_not_ready(const result<kube::answer>& answer) {
  if (!answer)
    return (answer.error().code == ec::denied ? "cannot be asked (" : "does not answer (") +
           answer.error().detail + ")";
  if (answer->status == http_unauthorized)
    return "does not accept the agent's credentials (status 401); renew the token or certificate "
           "that kubernetes.kubeconfig names, or that of the agent's service account";
  if (answer->status >= http_server_error)
    return "is not ready (status " + std::to_string(answer->status) + ")";
  return {};
}

}  // namespace

void pod_backend::note_answer(const result<kube::answer>& answer) {
  if (answer && answer->status < http_server_error && answer->status != http_unauthorized)
    link_.heard(boot());
}

std::optional<follow_gap> pod_backend::find_gap() const {
  if (link_.is_away()) return follow_gap{link_.heard_at(), link_.why(), true};
  if (auto gap = gaps_.find(config_.link.silence_max, boot())) return gap;
  if (!started_) return find_start_gap();
  return rights_.find(rights_watch::patience, boot());
}

bool pod_backend::is_beginning() const {
  return !started_ && boot() - began_ < quiet_start;
}

bool pod_backend::has_started() const {
  return first_.are_there() && rights_.are_known() && !rights_.find({}, boot()) &&
         !identity_.is_doubted() && !link_.is_away();
}

follow_gap pod_backend::find_start_gap() const {
  std::string why;
  if (!first_.are_there() && (!is_beginning() || first_.are_denied()))
    why = first_.why();
  else if (const auto missing = rights_.find({}, boot()))
    why = missing->why;
  else if (identity_.is_doubted() && !is_beginning())
    why = doubt_why_;
  if (why.empty()) why = "has not told of its nodes and pods yet";
  return {began_, std::move(why), false};
}

void pod_backend::become_ready() {
  left_.is_there = std::ranges::any_of(before_, [this](const auto& each) {
    return each.second.run && each.second.cluster == config_.cluster;
  });
  started_ = true;
  link_.probed(true, {}, boot());  // No run is given back for an absence that is over.
  // Events say why a pod waits; without the right to them the agent knows less, and that is all.
  follow_events();
  show_nodes();
}

/// A server that is away is asked for nothing.
bool pod_backend::turn_rights() {
  if (link_.is_away() || !first_.are_there()) return false;
  const auto due = rights_.tick(boot());
  for (const auto& each : due) {
    auto what = rights_watch::request_of(each);
    what.within = std::chrono::duration_cast<std::chrono::milliseconds>(config_.link.probe_within);
    api_->ask(std::move(what), [this, mail = mail_, each](const result<kube::answer>& answer) {
      mail->post([this, each, answer] {
        if (answer && answer->date) note_date(*answer->date);
        rights_.answered(each, answer, boot());
        // Rights that are taken away together are told together.
        if (!rights_.is_asking()) found_lack_ = find_lack();
      });
    });
  }
  return !due.empty();
}

std::string pod_backend::find_lack() const {
  // A right without which no run is begun is told as the reason for that, and not twice.
  const bool is_told = rights_.find(rights_watch::patience, boot()).has_value();
  auto out = lack_of(rights_.missing(!is_told, boot()));
  if (!left_.foreign.empty()) out += (out.empty() ? "" : "; and it ") + left_.foreign;
  return out;
}

std::string pod_backend::sentence(const std::string& why) const {
  auto out = "the API server " + api_->server() + " " + why;
  if (out.size() > why_size_max) out.resize(out.rfind(' ', why_size_max));
  const bool is_unlisted = !started_ && !first_.are_there() && !first_.are_denied();
  if (!config_.address_place.empty() &&
      (is_unlisted || why.starts_with("does not answer") || why.starts_with("cannot be asked")))
    out += "; its address stands in " + config_.address_place;
  return out;
}

bool pod_backend::turn_link() {
  const auto step = link_.tick(boot());
  // The kubeconfig may name another server now, to which nothing is sent before it is known.
  if (step.lost || (!server_.empty() && api_->server() != server_)) identity_.doubt();
  if (step.probe) probe_link();
  const bool asked = verify_cluster();
  const auto held = identity_.take();
  for (const auto& each : held) each();
  if (!started_ && has_started()) become_ready();
  const auto gap = find_gap();
  const bool was_blind = gap_ && gap_->of_pods;
  const bool is_blind = gap && gap->of_pods;
  const bool may_retell = is_beginning() || boot() >= retell_at_;
  const bool is_other = gap && gap_ && gap->why != gap_->why && may_retell;
  const bool moved = gap.has_value() != gap_.has_value() || is_blind != was_blind || is_other;
  const bool lacks_other = started_ && lack_ != found_lack_;
  const bool has_more = first_.has_more() && !left_.has_more.exchange(true);
  if (!moved && !lacks_other && !has_more) return step.probe || asked || !held.empty();
  if (moved) take_gap(gap);
  if (lacks_other) tell_lack();
  std::function<void()> told;
  {
    const std::lock_guard guard{mutex_};
    told = nodes_changed_;
  }
  if (told) told();
  return true;
}

void pod_backend::take_gap(std::optional<follow_gap> gap) {
  const bool was_blind = gap_ && gap_->of_pods;
  const bool is_blind = gap && gap->of_pods;
  gap_ = std::move(gap);
  retell_at_ = boot() + (started_ ? retell_after : quiet_start);
  const auto why = gap_ ? sentence(gap_->why) : std::string{};
  const auto since_ns = gap_ ? wall() - (boot() - gap_->since).count() : 0;
  if (is_blind && !was_blind) runs_.server_lost(gap_->since, why, wall(), boot());
  if (was_blind && !is_blind) {
    runs_.server_back(boot());
    attached_.server_answers(boot());
  }
  tell_link(why);
  const std::lock_guard guard{mutex_};
  trouble_.why = why;
  trouble_.since_ns = since_ns;
}

void pod_backend::tell_lack() {
  lack_ = found_lack_;
  const auto lacks = lack_.empty() ? std::string{} : sentence(lack_);
  if (!lacks.empty())
    logger.warning("something is not as it should be; runs go on", logging::kv("why", lacks));
  else if (!gap_)
    logger.info("all is as it should be again", logging::kv("server", api_->server()));
  const std::lock_guard guard{mutex_};
  trouble_.lacks = lacks;
}

/// A server that cannot reach its store says that it is not ready. Whatever else is no fault of the
/// server says that it answers, but that it does not know the agent.
void pod_backend::probe_link() {
  kube::request what;
  what.path = "/readyz";
  what.within = std::chrono::duration_cast<std::chrono::milliseconds>(config_.link.probe_within);
  api_->ask(std::move(what), [this, mail = mail_](const result<kube::answer>& answer) {
    mail->post([this, why = why_not_ready(answer)] {
      if (why.empty() && identity_.is_doubted()) return ask_identity(true);
      link_.probed(why.empty(), why, boot());
    });
  });
}

void pod_backend::ask_identity(bool is_probe) {
  auto what = cluster_identity::question();
  what.server = api_->server();
  what.within = std::chrono::duration_cast<std::chrono::milliseconds>(config_.link.probe_within);
  verifying_ = true;
  auto server = what.server;
  api_->ask(std::move(what), [this, mail = mail_, is_probe, server](result<kube::answer> answer) {
    mail->post([this, is_probe, server, answer = std::move(answer)] {
      verifying_ = false;
      verify_due_ = boot() + config_.link.probe_after;
      const auto why = identity_.answered(answer);
      doubt_why_ = why.value_or("");
      if (!why) server_ = server;
      if (is_probe)
        link_.probed(!why, why.value_or(""), boot());
      else if (why && answer && answer->ok())
        link_.expel(*why);
    });
  });
}

/// Returns whether the server was asked. One that is away is asked by the probes.
bool pod_backend::verify_cluster() {
  if (!first_.are_there() || !identity_.is_doubted() || verifying_ || link_.is_away() ||
      boot() < verify_due_)
    return false;
  ask_identity(false);
  return true;
}

boot_time pod_backend::link_due() const {
  const bool asks = first_.are_there() && !link_.is_away();
  const bool verifies = asks && identity_.is_doubted() && !verifying_;
  return std::min({link_.next_due(), gaps_.next_due(config_.link.silence_max, boot()),
                   asks ? rights_.next_due() : boot_time::max(),
                   verifies ? verify_due_ : boot_time::max()});
}

void pod_backend::tell_link(const std::string& trouble) {
  if (trouble.empty()) {
    if (std::exchange(complained_, false))
      logger.info("the API server is of use again", logging::kv("server", api_->server()));
    return;
  }
  if (is_beginning() && !first_.are_denied()) return;
  complained_ = true;
  logger.warning(started_ ? "no run can be begun; runs that were not begun are given back"
                          : "the cluster does not answer yet; trying on",
                 logging::kv("why", trouble));
}

}  // namespace argosy::backends

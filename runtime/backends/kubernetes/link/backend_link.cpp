// SPDX-License-Identifier: Apache-2.0
// The part of pod_backend that finds out whether the API server answers.
#include <utility>

#include "runtime/backends/kubernetes/pod_backend.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::backends {

namespace {

const logging::logger logger{"kubernetes"};

}  // namespace

void pod_backend::note_answer(const result<kube::answer>& answer) {
  if (answer && answer->status < http_server_error) link_.heard(boot());
}

bool pod_backend::turn_link() {
  const auto step = link_.tick(boot());
  if (step.probe) probe_link();
  if (!step.lost && !step.back) return step.probe;
  std::string trouble;
  if (step.back) {
    runs_.server_back(boot());
    attached_.server_answers(boot());
  } else {
    trouble = "the API server " + api_->server() + " does not answer (" + link_.why() + ")";
    runs_.server_lost(*step.lost, trouble, wall(), boot());
  }
  tell_link(trouble);
  std::function<void()> told;
  {
    const std::lock_guard guard{mutex_};
    trouble_ = std::move(trouble);
    told = nodes_changed_;
  }
  if (told) told();
  return true;
}

/// Whatever is no fault of the server says that it answers: that the agent may not ask, for
/// instance. A server that cannot reach its store says that it is not ready.
void pod_backend::probe_link() {
  kube::request what;
  what.path = "/readyz";
  what.within = std::chrono::duration_cast<std::chrono::milliseconds>(config_.link.probe_within);
  api_->ask(std::move(what), [this, mail = mail_](const result<kube::answer>& answer) {
    const bool is_ready = answer && answer->status < http_server_error;
    std::string why = answer ? "it is not ready, with status " + std::to_string(answer->status)
                             : answer.error().detail;
    mail->post([this, is_ready, why = std::move(why)] { link_.probed(is_ready, why, boot()); });
  });
}

void pod_backend::tell_link(const std::string& trouble) const {
  if (trouble.empty())
    logger.info("the API server answers again", logging::kv("server", api_->server()));
  else
    logger.warning("the API server does not answer; runs that were not begun are given back",
                   logging::kv("server", api_->server()), logging::kv("why", link_.why()));
}

}  // namespace argosy::backends

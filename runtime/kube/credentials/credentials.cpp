// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/credentials.hpp"

#include <algorithm>

#include "runtime/base/text.hpp"
#include "runtime/kube/credentials/exec_credential.hpp"
#include "runtime/kube/credentials/run_program.hpp"

namespace argosy::kube {

namespace {

/// The token that a file holds, usually with a line feed at its end.
result<std::string> token_line(std::string text, const std::string& file) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  const bool odd = std::ranges::any_of(text, [](char c) { return c <= ' ' || c > '~'; });
  if (text.empty() || odd)
    return fail(ec::denied, "'" + file + "' has to hold a token in one line and nothing else");
  return text;
}

}  // namespace

credentials::credentials(cluster_access access, const credential_rules& rules, access_origin origin)
    : access_(std::move(access)), rules_(rules), origin_(std::move(origin)) {}

bool credentials::fresh(wall_time now) const {
  if (!read_ || std::ranges::any_of(files_, &watched_file::changed)) return false;
  return !expires_ || now + rules_.renewed_before < *expires_;
}

bool credentials::renewable() const noexcept {
  return !access_.plugin.command.empty() || !access_.token.file.empty() ||
         !access_.certificate.file.empty();
}

result<std::string> credentials::text_of(const text_source& from) {
  if (from.file.empty()) return from.text;
  return files_.emplace_back(from.file).read();
}

result<void> credentials::read_access() {
  if (!origin_.read) return {};
  // Looked at before they are read, so that a change in between is noticed. One of several files
  // may be missing.
  for (const auto& each : origin_.files) static_cast<void>(files_.emplace_back(each).read());
  auto access = origin_.read();
  if (!access) return fail(ec::denied, std::move(access.error().detail));
  access_ = std::move(*access);
  return {};
}

result<identity> credentials::read(int stop_fd) {
  read_ = false;
  files_.clear();
  expires_.reset();
  if (auto again = read_access(); !again) return fail(std::move(again.error()));
  identity out;
  out.at = place_of(access_);
  const std::pair<const text_source*, std::string*> sources[] = {
      {&access_.authorities, &out.authorities},
      {&access_.certificate, &out.certificate},
      {&access_.key, &out.key},
      {&access_.token, &out.token}};
  for (const auto& [from, to] : sources) {
    auto text = text_of(*from);
    if (!text) return fail(std::move(text.error()));
    *to = std::move(*text);
  }
  if (!access_.token.file.empty()) {
    auto token = token_line(std::move(out.token), access_.token.file);
    if (!token) return fail(std::move(token.error()));
    out.token = std::move(*token);
  }
  if (!access_.plugin.command.empty())
    if (auto ran = run_plugin(out, stop_fd); !ran) return fail(std::move(ran.error()));
  read_ = true;
  return out;
}

result<void> credentials::run_plugin(identity& into, int stop_fd) {
  const auto& plugin = access_.plugin;
  program_run run{.command = plugin.command,
                  .arguments = plugin.arguments,
                  .environment = plugin.environment,
                  .within = rules_.plugin_within,
                  .stop_fd = stop_fd};
  run.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_question(access_, into.authorities));
  const auto name = "the credential plugin '" + shown(plugin.command) + "' ";
  const auto printed = run_program(run);
  if (!printed) {
    const bool missing = printed.error().code == ec::not_found && !plugin.install_hint.empty();
    return fail(printed.error().code == ec::cancelled ? ec::cancelled : ec::denied,
                name + printed.error().detail + (missing ? ": " + plugin.install_hint : ""));
  }
  auto made = read_exec_credential(*printed, plugin.api_version);
  if (!made)
    return fail(made.error().code, made.error().detail + " ('" + shown(plugin.command) + "')");
  if (!made->token.empty()) into.token = std::move(made->token);
  if (!made->certificate.empty()) {
    into.certificate = std::move(made->certificate);
    into.key = std::move(made->key);
  }
  expires_ = made->expires;
  return {};
}

}  // namespace argosy::kube

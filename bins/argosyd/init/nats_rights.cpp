// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/nats_rights.hpp"

#include <chrono>
#include <filesystem>

#include "bins/argosyd/init/init_plan.hpp"
#include "runtime/access/server_limits.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

constexpr std::chrono::minutes asked_again{1};
/// Each question that is refused is a line in the log of the nats-server.
constexpr std::chrono::seconds asked_again_while_wrong{10};
constexpr std::chrono::seconds mark_answer_limit{2};

std::filesystem::path folder_of_init(const settings::nats_settings& nats) {
  return std::filesystem::path{nats.credentials_file}.parent_path().parent_path();
}

result<access::server_plan> plan_of(const settings::nats_settings& nats) {
  if (nats.credentials_file.empty())
    return fail(ec::not_found, "there are no credentials of argosyd init");
  const auto text = settings::read_file((folder_of_init(nats) / plan_file).string());
  if (!text) return fail(text.error());
  return access::parse_plan(*text);
}

}  // namespace

std::optional<std::filesystem::path> store_of_server(const settings::nats_settings& nats) {
  const auto plan = plan_of(nats);
  if (!plan || plan->store_dir.empty()) return std::nullopt;
  return plan->store_dir;
}

std::optional<std::string> fault_of_rights(const settings::nats_settings& nats) {
  const auto folder = folder_of_init(nats);
  const auto plan = plan_of(nats);
  const auto conf = settings::read_file((folder / server_file).string());
  if (!plan || !conf) return std::nullopt;
  const auto accounts = settings::read_file((folder / access::accounts_file).string());
  const auto fault = access::conf_fault(*plan, *conf, accounts.value_or(""));
  if (!fault) return std::nullopt;
  return "in " + folder.string() + ", " + *fault + "; say: argosyd init " + folder.string() +
         " --rewrite, and then what that prints";
}

std::optional<std::string> fault_of_limits(const settings::nats_settings& nats) {
  const auto folder = folder_of_init(nats);
  if (!plan_of(nats)) return std::nullopt;
  const auto conf = settings::read_file((folder / server_file).string());
  const auto older = conf ? access::older_limits(*conf) : std::string{};
  if (older.empty()) return std::nullopt;
  return "in " + folder.string() + ", nats-server.conf has limits of an older version (" + older +
         "), by which one key can fill the server's memory or hold others up; say: argosyd init " +
         folder.string() + " --rewrite, and then what that prints";
}

std::vector<std::string> warnings_of_rights(const settings::nats_settings& nats) {
  std::vector<std::string> out;
  for (auto& fault : {fault_of_rights(nats), fault_of_limits(nats)})
    if (fault) out.push_back(*fault);
  return out;
}

bool rights_watch::gives(const std::string& mark, boot_time now) {
  if (mark != asked_) {
    asked_ = mark;
    next_ = now;
    given_ = true;
  }
  const auto server = now < next_ ? nullptr : connection_();
  if (!server) return given_;
  const auto answer = server->request_sync(mark, {}, {}, mark_answer_limit);
  // Nobody serves it, which is what the server says of a subject that may be asked.
  if (answer || answer.error().code == ec::no_responders) given_ = true;
  if (!answer && answer.error().code == ec::denied) given_ = false;
  next_ = now + (given_ ? asked_again : asked_again_while_wrong);
  return given_;
}

std::optional<std::string> rights_watch::fault(boot_time now) {
  if (nats_.credentials_file.empty()) return std::nullopt;
  if (auto in_files = fault_of_rights(nats_)) return in_files;
  const auto plan = plan_of(nats_);
  if (gives(plan ? access::mark_of_members(plan->members) : access::mark_of_rules(), now))
    return std::nullopt;
  if (!plan)
    return "the nats-server gives other rights than this version of argosyd: where its "
           "configuration was made, say argosyd init DIR --rewrite, and then what that prints";
  const auto file = (folder_of_init(nats_) / access::accounts_file).string();
  return "the nats-server runs on with other rights than '" + file +
         "' gives, so that whoever was removed or has fewer rights by it still may do what he "
         "could: " +
         access::reload_words(*plan) + ", or start it anew if its log says that it cannot reload";
}

health::concerns rights_watch::look(boot_time now) {
  auto found = fault(now);
  probes_->get<rights_probe>()->stale.set(found ? 1 : 0);
  health::concerns out;
  if (found) out.push_back({true, "setup", "rights", std::move(*found)});
  if (auto limits = nats_.credentials_file.empty() ? std::nullopt : fault_of_limits(nats_))
    out.push_back({false, "setup", "limits", std::move(*limits)});
  return out;
}

}  // namespace argosy::argosyd

// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/nats_rights.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>

#include "bins/argosyd/init/init_plan.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds read_again{5};

struct known_rights {
  std::mutex mutex;
  std::optional<clock::time_point> read;
  std::optional<std::string> fault;
};

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

std::vector<std::string> warnings_of_rights(const settings::nats_settings& nats) {
  const auto fault = fault_of_rights(nats);
  return fault ? std::vector{*fault} : std::vector<std::string>{};
}

std::function<std::optional<std::string>()> watched_rights(const settings::nats_settings& nats) {
  return [nats, known = std::make_shared<known_rights>()] {
    const std::lock_guard lock{known->mutex};
    const auto now = clock::now();
    if (!known->read || now - *known->read >= read_again) {
      known->fault = fault_of_rights(nats);
      known->read = now;
    }
    return known->fault;
  };
}

}  // namespace argosy::argosyd

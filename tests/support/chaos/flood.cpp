// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chaos/flood.hpp"

#include <algorithm>
#include <utility>

#include "messages/proto/api/submit.pb.h"
#include "runtime/access/credentials.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto user = "dev";

/// A request for one job that no node can hold.
std::string request_of(const std::string& key) {
  api::JobSubmitRequest request;
  request.set_queue("q");
  request.set_job_set_id(flood::job_set);
  auto& item = *request.add_job_request_items();
  item.set_namespace_("default");
  item.set_client_id(key);
  auto& container = *item.mutable_pod_spec()->add_containers();
  container.set_name("main");
  container.set_image("none");
  container.add_command("true");
  for (const auto& [resource, amount] : {std::pair{"cpu", "100000"}, {"memory", "4Mi"}}) {
    (*container.mutable_resources()->mutable_requests())[resource].set_string(amount);
    (*container.mutable_resources()->mutable_limits())[resource].set_string(amount);
  }
  return request.SerializeAsString();
}

std::shared_ptr<bus::connection> connect(const secured_world& world) {
  bus::nats_settings settings;
  settings.url = world.url();
  const auto who = access::read_credentials(world.credentials(std::string{"user-"} + user));
  if (!who || !bus::sign_as(*who, settings)) return nullptr;
  auto made = bus::connect_nats(settings);
  return made ? *made : nullptr;
}

}  // namespace

flood::flood(const secured_world& world, const flood_settings& how)
    : how_(how), subject_(access::api_subject(user, "Submit.SubmitJobs")), open_(how.callers, 0) {
  for (std::size_t i = 0; i < how.callers; ++i) connections_.push_back(connect(world));
  for (std::size_t i = 0; i < how.callers; ++i)
    if (connections_[i] != nullptr)
      threads_.emplace_back([this, i] { submit_on(*connections_[i], i); });
}

void flood::stop() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
    changed_.notify_all();
  }
  for (auto& one : threads_) one.join();
  threads_.clear();
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return counts_.unanswered == 0; });
}

flood_counts flood::counts() const {
  const std::lock_guard lock{mutex_};
  return counts_;
}

void flood::submit_on(bus::connection& connection, std::size_t caller) {
  for (std::size_t serial = 1;; ++serial) {
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [&] { return ending_ || open_[caller] < how_.unanswered; });
      if (ending_) return;
      ++open_[caller];
      ++counts_.unanswered;
      ++counts_.sent;
    }
    auto key = "flood" + std::to_string(caller) + "-" + std::to_string(serial);
    const auto request = request_of(key);
    connection.request(subject_, request, {}, 30s,
                       [this, caller, key = std::move(key), sent = clock::now()](auto reply) {
                         answered(caller, key, sent, reply);
                       });
  }
}

void flood::answered(std::size_t caller, std::string key, clock::time_point sent,
                     const result<bus::frame>& reply) {
  api::JobSubmitResponse accepted;
  const bool good =
      reply && accepted.ParseFromString(reply->data) && accepted.job_response_items_size() == 1;
  const std::lock_guard lock{mutex_};
  if (good) {
    ++counts_.accepted;
    counts_.longest =
        std::max(counts_.longest, std::chrono::duration_cast<milliseconds>(clock::now() - sent));
    told_.push_back(
        {std::move(key), 0, accepted.job_response_items(0).job_id(), witness::ending::any});
  } else if (!reply && reply.error().code == ec::overloaded &&
             reply.error().detail.find("try again in a second") != std::string::npos) {
    ++counts_.busy;
  } else {
    if (counts_.other++ == 0)
      counts_.first_other = reply ? "an answer that cannot be read" : to_string(reply.error());
  }
  --open_[caller];
  --counts_.unanswered;
  changed_.notify_all();
}

}  // namespace argosy::chaos

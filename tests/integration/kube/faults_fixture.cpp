// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/kube/faults_fixture.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace argosy::testing {

namespace {

namespace fs = std::filesystem;

}  // namespace

int kube_faults::port_of(const std::string& url) {
  const auto colon = url.rfind(':');
  return colon == std::string::npos ? 0 : std::atoi(url.c_str() + colon + 1);
}

void kube_faults::SetUp() {
  programs_fixture::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  const auto server = client->server();
  if (server.find("//127.0.0.1:") == std::string::npos)
    GTEST_SKIP() << "the proxy that makes the faults reaches API servers of this machine only";
  api_link = std::make_unique<tcp_proxy>(port_of(server));
  auto text = content_of(kubeconfig);
  const auto before = "127.0.0.1:" + std::to_string(port_of(server));
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
    text.replace(at, before.size(), "127.0.0.1:" + std::to_string(api_link->port()));
  kubeconfig = world.write("disturbed-kubeconfig", text);
  watch_ = client->follow("/api/v1/pods?labelSelector=argosy.io%2Fcluster%3Dkube", witness);
}

void kube_faults::TearDown() {
  watch_.reset();
  programs_fixture::TearDown();
}

child kube_faults::start_agent_apart(const std::string& more) {
  const auto port = port_of(world.url());
  if (!argosyd_link) argosyd_link = std::make_unique<tcp_proxy>(port);
  const auto other = std::to_string(argosyd_link->port());
  // The agent finds what it needs to log in by the address of the server.
  for (const auto& each : fs::recursive_directory_iterator{world.folder() / "state"}) {
    auto name = each.path().filename().string();
    const auto at = name.find(std::to_string(port));
    if (at == std::string::npos || !each.is_regular_file()) continue;
    name.replace(at, std::to_string(port).size(), other);
    fs::copy_file(each.path(), each.path().parent_path() / name,
                  fs::copy_options::overwrite_existing);
  }
  const auto config = world.write("apart.yaml",
                                  "nats: {requestTimeout: 1s, pingInterval: 500ms}\nkubernetes:\n"
                                  "  kubeconfig: " +
                                      kubeconfig + "\n  namespaces: [" + name_space +
                                      "]\n  countOtherPods: false\n" + more);
  return world.start_program(
      {"argosy-agent", "--cluster", "kube", "--nats", "nats://127.0.0.1:" + other, "--data-dir",
       (world.folder() / "agent-kube").string(), "--ready-file",
       (world.folder() / "ready-kube").string(), "--backend", "kubernetes", "--config", config},
      "agent-kube");
}

void kube_faults::expect_kept(const std::vector<std::string>& jobs) {
  std::size_t lost = 0;
  for (const auto& job : jobs)
    if (wait_for(job, "done", limit) != 0) {
      ++lost;
      ADD_FAILURE() << world.job(job);
    }
  expect_once(jobs.size(), lost);
}

void kube_faults::expect_once(std::size_t jobs, std::size_t lost) {
  EXPECT_EQ(lost, 0u) << agent_log();
  EXPECT_EQ(witness.doubled(), 0u) << agent_log();
  std::cout << "jobs " << jobs << ", pods " << witness.count() << ", lost " << lost << ", doubled "
            << witness.doubled() << "\n";
}

bool kube_faults::have_state(const std::vector<std::string>& jobs, const std::string& state) const {
  return std::ranges::all_of(jobs, [&](const auto& job) { return has_state(job, state); });
}

void kube_faults::make(const std::string& path, const nlohmann::json& object) const {
  kube::request what;
  what.verb = "POST";
  what.path = path;
  what.body = object.dump();
  const auto got = ask(what);
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_TRUE(got->ok()) << got->body;
}

void kube_faults::remove(const std::string& path) const {
  kube::request what;
  what.verb = "DELETE";
  what.path = path;
  const auto got = ask(what);
  EXPECT_TRUE(got) << path;
}

std::string kube_faults::own_namespace() const {
  auto name = "argosy-" + world.folder().filename().string();
  for (auto& c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '-';
  while (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace argosy::testing

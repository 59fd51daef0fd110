// SPDX-License-Identifier: Apache-2.0
// The base of tests of an agent whose API server or control plane is disturbed: the agent reaches
// both over proxies, and a witness sees the pods past them.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/kube/pod_witness.hpp"
#include "tests/integration/kube/programs_fixture.hpp"
#include "tests/support/proxy/tcp_proxy.hpp"

namespace argosy::testing {

class kube_faults : public programs_fixture {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// The port of a URL that ends with it.
  [[nodiscard]] static int port_of(const std::string& url);
  /// Starts the agent, which reaches argosyd over a proxy as well.
  child start_agent_apart(const std::string& more = {});
  /// How many jobs one test has.
  [[nodiscard]] std::size_t many() const { return is_real() ? 20 : 6; }
  /// Waits until all jobs have ended, expects that each succeeded and ran once, and prints counts.
  void expect_kept(const std::vector<std::string>& jobs);
  /// Expects that no job ran twice, and prints the counts.
  void expect_once(std::size_t jobs, std::size_t lost);
  [[nodiscard]] bool have_state(const std::vector<std::string>& jobs,
                                const std::string& state) const;
  /// Makes an object in the real cluster.
  void make(const std::string& path, const nlohmann::json& object) const;
  void remove(const std::string& path) const;
  /// A namespace that only this test has.
  [[nodiscard]] std::string own_namespace() const;

  pod_witness witness;
  std::unique_ptr<tcp_proxy> api_link;
  std::unique_ptr<tcp_proxy> argosyd_link;

 private:
  std::unique_ptr<kube::watch> watch_;
};

}  // namespace argosy::testing

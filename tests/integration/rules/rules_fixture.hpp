// SPDX-License-Identifier: Apache-2.0
// The real argosyd, asked the same over gRPC, REST and NATS. Requests are written as JSON.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "messages/codec/rest/rest_calls.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/bus/connection.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace grpc {
class Channel;
}

namespace argosy::testing {

/// What an API said to a request that it refused.
struct refusal_of {
  std::string transport;
  std::string code;  ///< As gRPC names it: "INVALID_ARGUMENT"; "OK" if it was not refused.
  std::string message;
};

/// A request that has to be refused, the code by which gRPC names that, and a part of the message.
struct rule {
  std::string name;
  std::string method;  ///< As descriptors name it: "api.Submit.SubmitJobs".
  nlohmann::json request;
  std::string code;
  std::string says;
  std::string code_over_nats{};  ///< Empty if it is the same.
};

inline const std::string wrong = "INVALID_ARGUMENT";
inline const std::string absent = "NOT_FOUND";

class rules : public deployment_fixture {
 protected:
  void SetUp() override;

  /// Over gRPC and NATS, and over REST if the method has a route that the request can take.
  [[nodiscard]] std::vector<refusal_of> ask(const std::string& method,
                                            const nlohmann::json& request) const;
  /// Asks for each rule over every transport, and expects that nothing has changed in the end.
  void expect_refused(const std::vector<rule>& all) const;

  /// A request to submit one job that would be taken, changed at these places.
  using change = std::pair<const char*, nlohmann::json>;
  [[nodiscard]] static nlohmann::json submission(const std::vector<change>& changes);

 private:
  [[nodiscard]] refusal_of over_grpc(const std::string& method, const std::string& bytes) const;
  [[nodiscard]] refusal_of over_nats(const std::string& method, const std::string& bytes) const;
  [[nodiscard]] refusal_of over_rest(const codec::rest_route& route, const std::string& path,
                                     const nlohmann::json& request) const;
  /// All that a request could change: jobs, queues, policies, clusters and nodes.
  [[nodiscard]] std::string state_of_all() const;

  std::shared_ptr<::grpc::Channel> channel_;
  std::shared_ptr<bus::connection> bus_;
  access::credentials who_;
};

}  // namespace argosy::testing

// SPDX-License-Identifier: Apache-2.0
// The API server of one Kubernetes cluster, as a backend sees it: single requests, and objects of a
// kind that are followed from a list on. One implementation is over HTTPS; tests have another.
//
// Every function is safe to call from any thread. Callbacks run on a thread of the implementation,
// one at a time; they must be quick and must not throw.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

namespace argosy::kube {

struct request {
  std::string verb{"GET"};
  /// With its query, such as "/api/v1/namespaces/jobs/pods/p?gracePeriodSeconds=5".
  std::string path;
  std::string body{};
  std::string content_type{"application/json"};
  /// The caller wants no more than `metadata` of the object in the answer; it may get all of it.
  bool metadata_only = false;
  /// The user in whose name the request is made (Impersonate-User), and his groups; empty for the
  /// agent itself.
  std::string user{};
  /// It is not sent from this time on, and given up if it is under way; see lease/fenced_api.hpp.
  boot_time until = boot_time::max();
  std::vector<std::string> groups{};
  /// How long the whole request may take; zero for what the client is set to.
  std::chrono::milliseconds within{};
  /// It is sent to no other server than this one, as api::server() names it; ec::unreachable if the
  /// client asks another one by then. Empty: to whichever it asks.
  std::string server{};
};

struct answer {
  int status = 0;  ///< The status of HTTP, of any kind: 404 is an answer.
  std::string body{};
  std::optional<wall_time> date{};  ///< When it was given, by the server's clock.

  [[nodiscard]] bool ok() const noexcept { return status >= 200 && status < 300; }
};

/// Takes the answer, or why there is none: ec::unreachable (a request that changes something was
/// certainly not sent), ec::timeout (it is unknown whether the request took effect), ec::denied
/// (the credentials cannot be had), ec::too_large (the answer is, so that it is unknown as well),
/// ec::overloaded (too many requests are under way), ec::invalid_argument (the request cannot be
/// sent as it is), ec::cancelled.
using answer_handler = std::function<void(result<answer>)>;

enum class change : std::uint8_t { added, modified, deleted };

/// Is told of the objects of one kind.
class follower {
 public:
  virtual ~follower() = default;
  /// All objects that are there now. It is told first, and again whenever changes may have been
  /// missed: what is not in it is gone.
  virtual void listed(std::vector<nlohmann::json> objects) = 0;
  virtual void changed(change what, nlohmann::json object) = 0;
  /// The API server does not answer as it should; it is asked again by and by. Told once for each
  /// such time.
  virtual void interrupted(const error& why) = 0;
  /// It answers again, at most once after each time that it did not. What happened meanwhile is
  /// told afterwards.
  virtual void resumed() {}

  // What it costs, for those who count.
  /// A request is sent, one at a time: `verb` is "list", of a page, or "watch".
  virtual void asked(std::string_view /*verb*/) {}
  /// It was answered: a list as a whole, a watch when it was opened. A watch that breaks later, or
  /// says that it cannot go on, tells this once more.
  virtual void answered(std::string_view /*verb*/, const result<answer>& /*how*/) {}
  /// The server has said something: a page, a change, or that there is none.
  virtual void heard() {}
};

/// Ends when it is destroyed: the follower is not told anything afterwards. The destructor waits
/// for a running call, unless it is called from within it.
class watch {
 public:
  virtual ~watch() = default;
};

/// Is told of the body of one answer as it comes.
class body_reader {
 public:
  virtual ~body_reader() = default;
  /// A part of the body of an answer with status 200. False: no more is wanted, and nothing more is
  /// told.
  virtual bool came(std::string_view bytes) = 0;
  /// The answer is over. Its body is there for any other status; an error says what an
  /// answer_handler would be told, and that the body is not whole.
  virtual void ended(result<answer> how) = 0;
};

class api {
 public:
  virtual ~api() = default;

  /// Sends a request once, or again where that is safe: a GET, and anything to which the server
  /// answered 429 or 503 with a time after which to come back.
  virtual void ask(request what, answer_handler done) = 0;

  /// Follows a collection, such as "/api/v1/namespaces/jobs/pods?labelSelector=x%3Dy". The follower
  /// has to outlive the watch.
  [[nodiscard]] virtual std::unique_ptr<watch> follow(std::string collection, follower& to) = 0;

  /// Sends a GET once and reads its answer as it comes, however long that takes. The reader has to
  /// outlive the watch, and whoever destroys that is told nothing more.
  [[nodiscard]] virtual std::unique_ptr<watch> read(request what, body_reader& to) = 0;

  /// Where the server is, also for messages: "https://10.0.0.1:6443". It changes if what the client
  /// was made of does; all collections are interrupted and listed anew then.
  [[nodiscard]] virtual std::string server() const = 0;
};

}  // namespace argosy::kube

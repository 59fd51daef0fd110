// SPDX-License-Identifier: Apache-2.0
// The API over REST: pages of the HTTP endpoint that hand each call to the bus, on which the API is
// served, and the answer back. They know no message: whoever makes them says what a request asks
// and how an answer is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/health/pages.hpp"
#include "runtime/rest/changed_names.hpp"
#include "runtime/rest/page_file.hpp"
#include "runtime/rest/position_turns.hpp"
#include "runtime/rpc/caller.hpp"
#include "runtime/rpc/method.hpp"

namespace argosy::rest {

struct request {
  std::string verb;
  std::string path;  ///< As it was sent, with its escapes and without its query.
  std::string body;
  std::vector<std::pair<std::string, std::string>> query;
};

/// With whom an answer may be shared that tells what the log says.
enum class sharing : std::uint8_t {
  none,         ///< With nobody: the call changes something, or the answer tells more than the log.
  same_caller,  ///< With the same caller.
  same_rights,  ///< With callers of the same groups and permissions.
};

/// What a request asks for.
struct plan {
  enum class kind : std::uint8_t { call, no_route, other_verb };
  kind what = kind::no_route;
  const rpc::method* method = nullptr;
  sharing shares = sharing::none;
  /// Makes the bytes of the request, after the caller was let in.
  std::function<result<std::string>(const request&)> bytes{};
  /// Writes the bytes of an answer as JSON.
  std::function<result<std::string>(std::string_view)> write{};
};

struct config {
  /// The bus on which the API is served.
  std::shared_ptr<bus::connection> api;
  std::function<plan(const request&)> read;
  /// What /swagger.json shows.
  std::function<std::string()> description;
  /// The same as for gRPC.
  rpc::admit_function admit;
  /// Pages of these origins may call from a browser, as "https://lookout.example.com", beside those
  /// that this endpoint serves itself.
  std::vector<std::string> origins;
  /// Whether the header Host must name this machine. A browser sends another one if a page has its
  /// own name resolve to this machine.
  bool local_names_only = false;
  /// An answer comes within this time; no stream does.
  std::chrono::milliseconds answer_within{30'000};
  /// The files of the web page, which stands beside the API. Anybody may read them.
  std::vector<page_file> files;
  page_login login;
  /// How far the log is that the answers of the API are made from; nothing while there is no
  /// position. GET /v1/position tells it without the bus, and GET /v1/changes whenever it has
  /// moved. Empty: there are no such routes.
  std::function<std::optional<std::uint64_t>()> position;
  /// Where jobs have changed behind a position of the log, which the streams of changes tell as
  /// well; empty: nobody knows.
  changes_behind changed;
  /// When this process began, in nanoseconds of Unix time. Positions of another may be lower.
  std::string started = "0";
  /// How many streams of changes may be open at a time, and how often each is told of one.
  std::size_t change_streams_max = 1'000;
  position_turns::pace change_pace{};
  /// How many other streams may be open at a time, each of which holds a thread.
  std::size_t streams_max = 256;
  /// How many callers may wait at a time for it to be found out who they are, which may take as
  /// long as others take to say so, and how many of one block of addresses. Each holds a thread.
  /// Who is known at once is not counted.
  std::size_t unknown_max = 256;
  std::size_t unknown_each = 32;
  /// How many bytes a body may have.
  std::size_t body_max = std::size_t{4} << 20;
  /// How many bodies of one caller may be read or answered at a time, and how many bytes of them.
  /// All callers together may have twice as much.
  std::size_t bodies_max = 200;
  std::size_t bodies_bytes_max = std::size_t{24} << 20;
};

[[nodiscard]] std::shared_ptr<health::pages> make_pages(config with);

}  // namespace argosy::rest

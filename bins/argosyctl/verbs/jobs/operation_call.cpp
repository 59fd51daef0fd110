// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/operation_call.hpp"

#include <fmt/format.h>

#include <future>

#include "bins/argosyctl/client/new_id.hpp"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/bus/headers.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::ListOperationsResponse;

constexpr std::string_view list_method = "Query.ListOperations";
/// Somebody who has pressed Ctrl-C waits for this long at most.
constexpr std::chrono::milliseconds look_limit{400};

void tell(session& s, const std::string& id) {
  s.out.notice(
      fmt::format("operation {0}; argosyctl describe operation {0} shows how far it is", id));
}

/// Whether the server has an operation with this id.
bool is_known(client& server, const std::string& id) {
  argosy::v1::ListOperationsRequest request;
  request.set_id(id);
  auto answer = std::make_shared<std::promise<bool>>();
  auto known = answer->get_future();
  server.start(list_method, request.SerializeAsString(), [answer](const result<std::string>& got) {
    const auto page = got ? decoded<ListOperationsResponse>(list_method, *got)
                          : result<ListOperationsResponse>{fail(got.error())};
    answer->set_value(page && page->operations_size() > 0);
  });
  return known.wait_for(look_limit) == std::future_status::ready && known.get();
}

}  // namespace

result<std::string> exchange_operation(session& s, client& server, std::string_view method,
                                       std::string request) {
  const auto id = new_id(s.now_ns());
  auto got = server.exchange_unless([&s] { return s.is_interrupted(); }, method, std::move(request),
                                    repeatable::yes, {{std::string{bus::header::operation}, id}});
  if (got) {
    // The server has chosen another id if this one was taken.
    if (const auto chosen = got->header(bus::header::operation); !chosen.empty()) tell(s, chosen);
    return std::move(got->data);
  }
  const auto code = got.error().code;
  if (code != ec::timeout && code != ec::cancelled) return fail(std::move(got.error()));
  if (is_known(server, id))
    tell(s, id);
  else
    s.out.notice("the server may go on; 'argosyctl get operations' tells how far it is");
  return fail(std::move(got.error()));
}

}  // namespace argosy::ctl

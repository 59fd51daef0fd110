// SPDX-License-Identifier: Apache-2.0
// The service Audit: operators read the audit trail.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "actors/api/gateway_services.hpp"
#include "messages/codec/api/method_list.hpp"
#include "messages/codec/audit/call_fields.hpp"
#include "messages/proto/argosy/audit.pb.h"
#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"

namespace argosy::actors {

namespace {

bool is_outcome(const std::string& name) {
  static constexpr std::array<std::string_view, 4> others{model::call_outcome::ok,
                                                          model::call_outcome::unanswered,
                                                          model::call_outcome::left_out, "refused"};
  return name.empty() || std::ranges::find(others, name) != others.end() ||
         to_string(parse_ec(name)) == name;
}

/// The number that a cursor holds; 0 for none.
std::optional<std::uint64_t> parse_cursor(const std::string& text) {
  std::uint64_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failed != std::errc{} || end != text.data() + text.size() || out == 0) return std::nullopt;
  return out;
}

void fill(const native::audit_entry& from, v1::AuditEntry& out) {
  codec::put_call(from.call, out);
  out.set_time_ns(from.time_ns);
}

/// Fails unless there is such a method, with or without its service.
result<void> check_method(const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& method : codec::api_methods()) {
    auto plain = method.name.substr(method.name.find('.') + 1);
    if (wanted == method.name || wanted == plain) return {};
    names.push_back(wanted.find('.') == std::string::npos ? std::move(plain) : method.name);
  }
  return fail(ec::not_found,
              "there is no method '" + shown(wanted) + "'" + did_you_mean(wanted, names));
}

void list_audit(gateway_services& gateway, const call& caller,
                const v1::ListAuditRequest& request) {
  if (!is_outcome(request.outcome())) {
    caller.fail(ec::invalid_argument,
                "outcome is '" + request.outcome().substr(0, 40) +
                    "'; it may be 'ok', 'refused', or the name of an error such as 'denied'");
    return;
  }
  native::list_audit query;
  query.user = request.user();
  query.method = request.method();
  query.queue = model::queue_name{request.queue()};
  query.outcome = request.outcome();
  query.since_ns = request.since_ns();
  query.until_ns = request.until_ns();
  query.limit = request.limit();
  if (!request.cursor().empty()) {
    const auto cursor = parse_cursor(request.cursor());
    if (!cursor) {
      caller.fail(ec::invalid_argument, "the cursor is not from an answer of this method");
      return;
    }
    query.below = *cursor;
  }
  gateway.ask(
      caller, gateway.config.list_reader,
      [caller, method = request.cursor().empty() ? request.method()
                                                 : ""](const native::audit_page_ptr& page) {
        // The trail may have calls of a method that is gone.
        if (page->entries.empty() && page->next == 0 && !method.empty())
          if (auto known = check_method(method); !known) return caller.fail(known.error());
        v1::ListAuditResponse response;
        for (const auto& entry : page->entries) fill(entry, *response.add_entries());
        if (page->next != 0) response.set_cursor(std::to_string(page->next));
        caller.reply(response);
      },
      atom::query_v, query);
}

}  // namespace

void add_audit_service(method_table& table) {
  table["Audit.ListAudit"] = decoded<v1::ListAuditRequest>(list_audit);
}

}  // namespace argosy::actors

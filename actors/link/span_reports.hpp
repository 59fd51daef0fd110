// SPDX-License-Identifier: Apache-2.0
// A method of the AGENT_GATEWAY hands the spans that an agent has recorded to the TRACER.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/call.hpp"
#include "actors/interfaces/tracer.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/span_codec.hpp"

namespace argosy::actors {

/// `Gateway` has the members `self` and `config`, which names the tracer.
template <class Gateway>
void take_spans(Gateway& gateway, const call& caller) {
  v1::ReportSpansRequest request;
  if (auto read = codec::read_request(caller.frame().data, request); !read) {
    caller.fail(read.error());
    return;
  }
  auto spans = std::make_shared<std::vector<trace::finished_span>>();
  for (const auto& span : request.spans())
    if (auto one = codec::from_wire(span)) spans->push_back(std::move(*one));
  gateway.self->send(gateway.config.tracer, atom::spans_v, native::span_list{std::move(spans)});
  caller.reply(std::string{});
}

}  // namespace argosy::actors

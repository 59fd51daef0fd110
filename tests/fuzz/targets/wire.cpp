// SPDX-License-Identifier: Apache-2.0
// Targets: what comes over NATS from agents, other control planes and executors of Armada.
#include <algorithm>
#include <chrono>

#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/codec/agent/hello_parts.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "messages/codec/lead_codec.hpp"
#include "messages/codec/packed_output.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/codec/wire.hpp"
#include "tests/fuzz/filled.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {
namespace {

template <class Value>
std::string encoded(const Value& value) {
  return codec::encode(value);
}

std::string encoded_chunk(const model::log_chunk& value) {
  return codec::encode(value);
}

/// Each message that the control plane and agents send, and the records of an agent's store.
struct agent_message {
  const char* type;
  bool (*take)(std::string_view);
};

template <auto decode, class Value>
bool takes(std::string_view bytes) {
  return comes_back<Value>(bytes, decode, encoded<Value>);
}

bool takes_chunk(std::string_view bytes) {
  return comes_back<model::log_chunk>(bytes, codec::decode_log_chunk, encoded_chunk);
}

constexpr std::array agent_messages{
    agent_message{"argosy.agent.v1.Orders", takes<codec::decode_orders, model::agent_orders>},
    agent_message{"argosy.agent.v1.ReportBatch", takes<codec::decode_reports, model::report_batch>},
    agent_message{"argosy.agent.v1.ReportAck", takes<codec::decode_report_ack, model::report_ack>},
    agent_message{"argosy.agent.v1.Hello", takes<codec::decode_hello, model::agent_hello>},
    agent_message{"argosy.agent.v1.HelloAck", takes<codec::decode_hello_ack, model::hello_ack>},
    agent_message{"argosy.agent.v1.Heartbeat",
                  takes<codec::decode_heartbeat, model::agent_heartbeat>},
    agent_message{"argosy.agent.v1.HeartbeatAck",
                  takes<codec::decode_heartbeat_ack, model::heartbeat_ack>},
    agent_message{"argosy.agent.v1.Goodbye", takes<codec::decode_goodbye, model::agent_goodbye>},
    agent_message{"argosy.agent.v1.LogRequest",
                  takes<codec::decode_log_request, model::log_request>},
    agent_message{"argosy.agent.v1.LogChunk", takes_chunk},
    agent_message{"argosy.store.v1.AgentRun", takes<codec::decode_agent_run, codec::agent_run>},
    agent_message{"argosy.store.v1.AgentFacts",
                  takes<codec::decode_agent_facts, ledger::executor_facts>},
    agent_message{"argosy.agent.v1.RunReport", takes<codec::decode_report, model::run_report>},
};

const registered agent_frames{
    {.name = "agent_frames",
     .what = form::wire,
     .choice_bytes = 1,
     .take =
         [](std::string_view input) {
           const auto [which, bytes] = choose(input, agent_messages.size());
           return agent_messages[which].take(bytes);
         },
     .seeds =
         [] {
           std::vector<std::string> out;
           for (std::size_t i = 0; i < agent_messages.size(); ++i)
             out.push_back(with_choice(i, filled(agent_messages[i].type)));
           return out;
         },
     .inputs = 6'000}};

/// Parts that come in any order, each with its size before it.
bool take_parts(std::string_view input) {
  codec::hello_parts parts{{.per_cluster = 2, .bytes_max = 2'000}};
  bool whole = false;
  for (int i = 0; !input.empty(); ++i) {
    const auto size = static_cast<unsigned char>(input.front());
    const auto part = codec::decode_hello_part(input.substr(1, size));
    input.remove_prefix(std::min(input.size(), std::size_t{1} + size));
    if (!part) continue;
    const auto added = parts.add(*part, size, std::chrono::seconds{i});
    if (!added) refused(added.error());
    whole = whole || (added && *added);
    require(parts.open_bytes() <= 2'000, "unfinished hellos take more than they may");
  }
  require(whole || parts.open_bytes() < 2'001, "nothing is counted");
  return whole;
}

const registered hello_parts{{.name = "hello_parts", .take = take_parts, .seeds = [] {
                                model::agent_hello hello{{"c", "gpu", "process", {7}}, {5}, {}, {}};
                                for (int i = 0; i < 6; ++i)
                                  hello.nodes.emplace_back().name =
                                      model::node_name{"n" + std::to_string(i)};
                                std::string all;
                                for (const auto& part : codec::encode_parts(hello, 40))
                                  all += with_choice(part.size(), part);
                                return std::vector{all, all + all};
                              }}};

bool take_lead_word(std::string_view input) {
  const auto [which, bytes] = choose(input, 3);
  if (which == 2)
    return comes_back<codec::lead_memory>(bytes, codec::decode_lead_memory,
                                          encoded<codec::lead_memory>);
  if (which == 1) {
    const auto standing = codec::decode_leader_standing(bytes);
    const auto again = codec::decode_leader_standing(codec::encode(standing));
    require(standing == again, "a standing does not come back");
    return standing.epoch.value != 0;
  }
  const auto word = codec::decode_waiting_word(bytes);
  const auto again = codec::decode_waiting_word(codec::encode(word));
  require(word.plane == again.plane && word.holder == again.holder && word.problem == again.problem,
          "a word does not come back");
  return !word.plane.empty();
}

const registered lead_words{{.name = "lead_words",
                             .what = form::wire,
                             .choice_bytes = 1,
                             .take = take_lead_word,
                             .seeds = [] {
                               return std::vector{with_choice(0, filled("argosy.lead.v1.Question")),
                                                  with_choice(1, filled("argosy.lead.v1.Standing")),
                                                  with_choice(2, filled("argosy.lead.v1.Memory"))};
                             }}};

bool take_armada(std::string_view input) {
  const auto [which, bytes] = choose(input, 2);
  if (which == 0) {
    const auto request = codec::decode_lease_request(bytes);
    if (!request) return refused(request.error());
    for (const auto& run : request->runs)
      for (const auto& key : codec::runs_of(run.id))
        require(!codec::name_of_run(key).empty(), "a run has no name");
    return true;
  }
  const auto events = codec::decode_executor_events(bytes);
  return events ? true : refused(events.error());
}

const registered armada_executors{{.name = "armada_executors",
                                   .what = form::wire,
                                   .choice_bytes = 1,
                                   .take = take_armada,
                                   .seeds = [] {
                                     return std::vector{
                                         with_choice(0, filled("executorapi.LeaseRequest")),
                                         with_choice(1, filled("executorapi.EventList"))};
                                   }}};

bool take_packed(std::string_view input) {
  const auto data = codec::unpack_output(input);
  if (!data) return refused(data.error());
  require(data->size() <= model::log_chunk_bytes_max, "more is unpacked than a chunk may have");
  const auto again = codec::pack_output(*data);
  require(!again || codec::unpack_output(*again) == *data, "packed output does not come back");
  return true;
}

const registered packed_output{
    {.name = "packed_output",
     .take = take_packed,
     .seeds =
         [] {
           std::string varied;
           for (int i = 0; i < 3'000; ++i) varied += std::to_string(i * i) + " steps\n";
           return std::vector{*codec::pack_output(std::string(20'000, 'a')),
                              *codec::pack_output(varied)};
         },
     // A frame of few bytes may be all that a chunk may have.
     .memory_max = 2 * model::log_chunk_bytes_max + (std::size_t{1} << 20)}};

bool take_span(std::string_view input) {
  v1::Span in;
  if (!codec::decode(input, in, "span")) return false;
  const auto span = codec::from_wire(in);
  if (!span) return refused(span.error());
  const auto written = [](const trace::finished_span& from) {
    v1::Span out;
    codec::to_wire(from, out);
    return codec::encode_sorted(out);
  };
  v1::Span out;
  require(codec::decode(written(*span), out, "span").has_value(), "a span is none any more");
  const auto again = codec::from_wire(out);
  require(again && written(*again) == written(*span), "a span does not come back");
  return true;
}

const registered spans{{.name = "spans", .what = form::wire, .take = take_span, .seeds = [] {
                          return std::vector{filled("argosy.v1.Span")};
                        }}};

}  // namespace
}  // namespace argosy::fuzz

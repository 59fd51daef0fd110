// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/audit/audited_methods.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <memory>

#include "messages/codec/api/method_list.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/audit/request_words.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Message;
using google::protobuf::MessageFactory;

/// The one call that only reads and whose request is described, when it was denied.
constexpr std::string_view watch_method = "Event.GetJobSetEvents";

struct meaning {
  std::string_view name;
  void (*set)(model::call_recorded&, std::string);
};

template <auto Member>
void set(model::call_recorded& call, std::string text) {
  auto& member = call.*Member;
  member = std::remove_cvref_t<decltype(member)>{std::move(text)};
}

/// These fields mean the same in all requests.
constexpr std::array fields{meaning{"queue", set<&model::call_recorded::queue>},
                            meaning{"job_set_id", set<&model::call_recorded::job_set>},
                            meaning{"job_set", set<&model::call_recorded::job_set>},
                            meaning{"executor", set<&model::call_recorded::cluster>},
                            meaning{"cluster", set<&model::call_recorded::cluster>},
                            meaning{"node", set<&model::call_recorded::node>},
                            meaning{"node_name", set<&model::call_recorded::node>}};
/// The field `name` means this in the requests of a service.
constexpr std::array names{meaning{"Submit.", set<&model::call_recorded::queue>},
                           meaning{"QueueService.", set<&model::call_recorded::queue>},
                           meaning{"Executor.", set<&model::call_recorded::cluster>},
                           meaning{"ClusterService.", set<&model::call_recorded::cluster>},
                           meaning{"Node.", set<&model::call_recorded::node>}};

void describe(const Message& request, model::call_recorded& call) {
  const auto name = text_of(request, "name");
  for (const auto& service : names)
    if (call.method.starts_with(service.name)) service.set(call, name);
  if (call.method.starts_with("RetryPolicyService.")) call.summary = "policy " + name;
  for (const auto& field : fields)
    if (auto text = text_of(request, field.name); !text.empty()) field.set(call, std::move(text));
  if (call.method == watch_method) call.job_set = text_of(request, "id");
  call.jobs = count_of(request, "job_ids");
  call.jobs += text_of(request, "job_id").empty() ? 0 : 1;
  add_words(words_of(request), call.summary);
}

}  // namespace

call_effect effect_of(std::string_view method) noexcept {
  const auto* const row = access::row_of(method);
  return row == nullptr ? call_effect::unlisted : row->effect;
}

bool may_change(std::string_view method, std::string_view mode) noexcept {
  if (method == "Submit.SubmitJobs" && mode == "check") return false;
  const auto effect = effect_of(method);
  return effect == call_effect::changes || effect == call_effect::unlisted;
}

bool is_audited(std::string_view method, std::string_view mode) noexcept {
  return may_change(method, mode) || effect_of(method) == call_effect::shows;
}

bool is_sent_unasked(std::string_view method) noexcept {
  return access::action_of(method) == access::action::report_spans;
}

void describe_request(std::string_view bytes, model::call_recorded& call) {
  if (call.method == "Submit.SubmitJobs") return describe_submission(bytes, call);
  if (effect_of(call.method) == call_effect::reads && call.method != watch_method) return;
  const auto* const method = descriptor_of(call.method);
  if (method == nullptr) return;
  const std::unique_ptr<Message> request{
      MessageFactory::generated_factory()->GetPrototype(method->input_type())->New()};
  if (read_request(bytes, *request)) describe(*request, call);
}

}  // namespace argosy::codec

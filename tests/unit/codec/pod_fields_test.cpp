// SPDX-License-Identifier: Apache-2.0
// Goal: no field of a pod spec is taken without somebody having decided what becomes of it, on each
// backend. Method: the schema is walked by reflection; each field needs a rule, each rule a field,
// and what the rules refuse is put into a pod and refused.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "messages/codec/submit/pod_fields.hpp"
#include "messages/codec/submit/pod_shape.hpp"
#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Calls for each field below the message, by its path. Messages within themselves are not walked
/// again.
void walk(const Descriptor& message, const std::string& prefix,
          std::vector<const Descriptor*> above,
          const std::function<void(const std::string&, const FieldDescriptor&)>& visit) {
  above.push_back(&message);
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto path = prefix + std::string{field.name()};
    visit(path, field);
    const auto* below = field.message_type();
    if (below == nullptr || field.is_map() ||
        std::find(above.begin(), above.end(), below) != above.end())
      continue;
    walk(*below, path + ".", above, visit);
  }
}

/// Sets the field at the path, with each message on the way.
void put_in_pod(Message& message, std::string_view path) {
  const auto name = path.substr(0, path.find('.'));
  const auto* field = message.GetDescriptor()->FindFieldByName(std::string{name});
  ASSERT_NE(field, nullptr) << path;
  const auto& reflection = *message.GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    if (field->is_repeated())
      reflection.AddString(&message, field, "x");
    else
      reflection.SetString(&message, field, "x");
    return;
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL)
    return reflection.SetBool(&message, field, true);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32)
    return reflection.SetInt32(&message, field, 1);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
    return reflection.SetInt64(&message, field, 1);
  ASSERT_EQ(field->cpp_type(), FieldDescriptor::CPPTYPE_MESSAGE) << path;
  auto* below = !field->is_repeated() ? reflection.MutableMessage(&message, field)
                : reflection.FieldSize(message, field) > 0 && !field->is_map()
                    ? reflection.MutableRepeatedMessage(&message, field, 0)
                    : reflection.AddMessage(&message, field);
  if (name.size() < path.size()) put_in_pod(*below, path.substr(name.size() + 1));
}

TEST(pod_fields, each_has_a_rule) {
  std::set<std::string> paths;
  std::size_t leaves = 0;
  walk(*core::PodSpec::descriptor(), "", {}, [&](const auto& path, const auto& field) {
    paths.insert(path);
    if (field.message_type() != nullptr && !field.is_map()) return;
    ++leaves;
    EXPECT_NE(rule_of(path), nullptr) << "what becomes of podSpec." << path << "?";
  });
  EXPECT_GT(leaves, 300U);
  for (const auto& rule : pod_field_rules())
    EXPECT_TRUE(paths.contains(std::string{rule.path})) << rule.path << " is no field";
}

TEST(pod_fields, what_is_not_kept_has_a_reason) {
  for (const auto& rule : pod_field_rules()) {
    const auto loses = [](field_fate fate) {
      return fate == field_fate::ignored || fate == field_fate::refused;
    };
    if (loses(rule.kubernetes) || loses(rule.process) || loses(rule.simulated))
      EXPECT_FALSE(rule.why.empty()) << rule.path;
    EXPECT_EQ(rule.kubernetes == field_fate::refused, rule.process == field_fate::refused)
        << rule.path << ": a submission names no backend";
  }
}

TEST(pod_fields, that_are_refused_are_named_at_submission) {
  for (const auto& rule : pod_field_rules()) {
    submit_bench bench;
    const auto decoded = bench.decode_changed([&](api::JobSubmitRequest& request) {
      put_in_pod(*request.mutable_job_request_items(0)->mutable_pod_spec(), rule.path);
    });
    const bool refused = rule.kubernetes == field_fate::refused;
    if (refused) {
      ASSERT_FALSE(decoded) << rule.path;
      const auto last = rule.path.substr(rule.path.rfind('.') + 1);
      EXPECT_THAT(decoded.error().detail, ::testing::HasSubstr(std::string{last} + ": "));
      EXPECT_THAT(decoded.error().detail, ::testing::HasSubstr(std::string{rule.why}));
    } else if (!decoded) {
      EXPECT_THAT(decoded.error().detail, ::testing::Not(::testing::HasSubstr("is not supported")))
          << rule.path;
    }
  }
}

TEST(pod_fields, that_a_plain_process_cannot_have_are_its_obstacle) {
  for (const auto& rule : pod_field_rules()) {
    core::PodSpec pod;
    *pod.add_containers() = container();
    pod.mutable_containers(0)->add_command("x");
    put_in_pod(pod, rule.path);
    EXPECT_EQ(!process_obstacle(pod).empty(),
              rule.process == field_fate::elsewhere || rule.path.starts_with("initContainers"))
        << rule.path << ": " << process_obstacle(pod);
  }
}

TEST(pod_fields, soft_wishes_about_other_pods_are_taken) {
  submit_bench bench;
  const auto decoded = bench.decode_changed([](api::JobSubmitRequest& request) {
    auto& pod = *request.mutable_job_request_items(0)->mutable_pod_spec();
    pod.add_topologyspreadconstraints()->set_whenunsatisfiable("ScheduleAnyway");
    pod.mutable_affinity()
        ->mutable_podantiaffinity()
        ->add_preferredduringschedulingignoredduringexecution()
        ->set_weight(1);
    pod.set_nodename("");
  });
  EXPECT_TRUE(decoded) << decoded.error().detail;
}

TEST(pod_fields, may_name_the_usual_scheduler) {
  submit_bench bench;
  EXPECT_TRUE(bench.decode_changed([&](api::JobSubmitRequest& request) {
    request.mutable_job_request_items(0)->mutable_pod_spec()->set_schedulername(
        "default-scheduler");
  }));
}

}  // namespace
}  // namespace argosy::codec

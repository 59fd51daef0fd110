// SPDX-License-Identifier: Apache-2.0
// Goal: no field of a submitted job is taken without somebody having decided what becomes of it.
// Method: the schema is walked by reflection, and each field has a row here: what is kept changes
// the job that is made, what is refused is named, and what is ignored has a reason. The fields of
// the pod have a test of their own.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "messages/codec/pod_manifest_codec.hpp"
#include "runtime/model/node.hpp"
#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;

enum class fate { kept, refused, ignored };

struct field_row {
  fate what = fate::kept;
  std::string why{};  ///< What a refusal says; why a field is ignored.
};

const std::map<std::string, field_row> rows{
    {"annotations", {}},
    {"client_id", {}},
    {"external_job_uri", {}},
    {"ingress.annotations", {}},
    {"ingress.cert_name", {}},
    {"ingress.ports", {}},
    {"ingress.tls_enabled", {}},
    {"ingress.type", {fate::ignored, "all of its values mean an ingress"}},
    {"ingress.use_clusterIP", {}},
    {"labels", {}},
    {"namespace", {}},
    {"pod_spec", {}},
    {"pod_specs", {}},
    {"priority", {}},
    {"required_node_labels", {fate::refused, "put the labels into nodeSelector of the pod spec"}},
    {"scheduler", {fate::ignored, "there is one scheduler; the text is shown with the job"}},
    {"services.name", {fate::ignored, "the name of a service is made from the run's"}},
    {"services.ports", {}},
    {"services.type", {}},
};

/// The paths of the fields below the message; those of a pod are not walked.
void walk(const Descriptor& message, const std::string& prefix, std::set<std::string>& out) {
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto path = prefix + std::string{field.name()};
    const auto* below = field.message_type();
    if (below == nullptr || field.is_map() || below == core::PodSpec::descriptor())
      out.insert(path);
    else
      walk(*below, path + ".", out);
  }
}

/// Gives the field another value than the request has that is changed.
void put(Message& message, std::string_view path) {
  const auto name = path.substr(0, path.find('.'));
  const auto* field = message.GetDescriptor()->FindFieldByName(std::string{name});
  ASSERT_NE(field, nullptr) << path;
  const auto& reflection = *message.GetReflection();
  if (field->is_map()) {
    auto& entry = *reflection.AddMessage(&message, field);
    entry.GetReflection()->SetString(&entry, entry.GetDescriptor()->map_key(), "k");
    entry.GetReflection()->SetString(&entry, entry.GetDescriptor()->map_value(), "v");
    return;
  }
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      ASSERT_LT(name.size(), path.size()) << path;
      put(*reflection.MutableRepeatedMessage(&message, field, 0), path.substr(name.size() + 1));
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(&message, field, "other");
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection.SetBool(&message, field, true);
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      reflection.SetDouble(&message, field, 7);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection.SetEnumValue(&message, field, 1);
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.AddUInt32(&message, field, 81);
      break;
    default:
      FAIL() << path << " is of a kind for which this test knows no value";
  }
}

api::JobSubmitRequest request_to_change() {
  auto request = valid_request();
  auto& item = *request.mutable_job_request_items(0);
  for (const int port : {80, 81})
    item.mutable_pod_spec()->mutable_containers(0)->add_ports()->set_containerport(port);
  item.add_services()->add_ports(80);
  auto& ingress = *item.add_ingress();
  ingress.add_ports(80);
  // The name of a certificate counts where there is one.
  ingress.set_tls_enabled(true);
  return request;
}

/// All that is made of the job, besides its identity.
std::string made_of(const model::job_header& header) {
  model::start_run order;
  order.queue = "research";
  order.name_space = header.name_space;
  order.spec = header.spec;
  const auto manifests = make_job_manifests(order);
  if (!manifests) return manifests.error().detail;
  auto out = header.name_space + '\n' + header.client_id + '\n' + std::to_string(header.priority) +
             '\n' + spec_of(header).external_job_uri() + '\n' + manifests->pod + '\n';
  for (const auto& each : manifests->attached) out += each + '\n';
  return out;
}

TEST(submit_fields, each_has_a_row) {
  std::set<std::string> paths;
  walk(*api::JobSubmitRequestItem::descriptor(), "", paths);
  std::set<std::string> known;
  for (const auto& [path, row] : rows) {
    known.insert(path);
    EXPECT_EQ(row.why.empty(), row.what == fate::kept) << path;
  }
  EXPECT_EQ(paths, known);
}

TEST(submit_fields, are_kept_or_refused_or_known_to_be_ignored) {
  for (const auto& [path, row] : rows) {
    if (path.starts_with("pod_spec")) continue;
    submit_bench bench;
    auto before = request_to_change();
    auto& item = *before.mutable_job_request_items(0);
    if (path == "ingress.tls_enabled") item.mutable_ingress(0)->set_tls_enabled(false);
    // An ingress uses a service that the job has, of whatever type.
    if (path == "ingress.use_clusterIP") item.clear_services();
    auto after = before;
    put(*after.mutable_job_request_items(0), path);
    const auto plain = bench.decode(before);
    ASSERT_TRUE(plain) << plain.error().detail;
    const auto changed = bench.decode(after);
    if (row.what == fate::refused) {
      ASSERT_FALSE(changed) << path;
      EXPECT_THAT(changed.error().detail, HasSubstr("job_request_items[0]." + path + ": "));
      EXPECT_THAT(changed.error().detail, HasSubstr(row.why));
      continue;
    }
    ASSERT_TRUE(changed) << path << ": " << changed.error().detail;
    EXPECT_EQ(made_of(*plain->jobs[0]) != made_of(*changed->jobs[0]), row.what == fate::kept)
        << path;
  }
}

TEST(submit_fields, that_a_plain_process_cannot_have_are_its_obstacle) {
  submit_bench bench;
  auto request = valid_request(4);
  request.mutable_job_request_items(1)->add_services()->add_ports(80);
  for (const int item : {2, 3})
    request.mutable_job_request_items(item)->add_ingress()->add_ports(80);
  request.mutable_job_request_items(3)->mutable_pod_spec()->add_volumes();
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  const char* const obstacles[] = {"", "services", "ingress", "podSpec.volumes"};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& shape = *decoded->jobs[i]->shape;
    EXPECT_EQ(shape.process_obstacle, obstacles[i]);
    EXPECT_EQ(std::ranges::any_of(
                  shape.tolerations,
                  [](const auto& each) { return each.key == model::process_backend_taint; }),
              shape.process_obstacle.empty());
  }
}

}  // namespace
}  // namespace argosy::codec

// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/swagger.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <deque>
#include <set>

#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using kind = FieldDescriptor::CppType;

/// How deep the parameters of a query go into messages, as in "filter.queue".
constexpr int query_depth_max = 2;

/// A type that Kubernetes writes in a form of its own; null for all others.
go_json special_schema(const Descriptor& type) {
  const auto& name = type.full_name();
  if (name == "k8s.io.apimachinery.pkg.api.resource.Quantity") return {{"type", "string"}};
  if (name == "k8s.io.apimachinery.pkg.util.intstr.IntOrString")
    return {{"description", "A whole number or a text."}};
  if (name == "k8s.io.apimachinery.pkg.apis.meta.v1.Time")
    return {{"type", "string"}, {"format", "date-time"}};
  return nullptr;
}

go_json enum_schema(const FieldDescriptor& field) {
  std::string meanings;
  const auto& type = *field.enum_type();
  for (int i = 0; i < type.value_count(); ++i)
    meanings += (i > 0 ? ", " : "") + std::to_string(type.value(i)->number()) + " is " +
                type.value(i)->name();
  return {{"type", "integer"}, {"format", "int32"}, {"description", meanings + "."}};
}

/// The schema of one value of a field that holds no message.
go_json scalar_schema(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case kind::CPPTYPE_INT32:
    case kind::CPPTYPE_UINT32:
      return {{"type", "integer"}, {"format", "int32"}};
    case kind::CPPTYPE_INT64:
    case kind::CPPTYPE_UINT64:
      return {{"type", "integer"}, {"format", "int64"}};
    case kind::CPPTYPE_DOUBLE:
      return {{"type", "number"}, {"format", "double"}};
    case kind::CPPTYPE_FLOAT:
      return {{"type", "number"}, {"format", "float"}};
    case kind::CPPTYPE_BOOL:
      return {{"type", "boolean"}};
    case kind::CPPTYPE_ENUM:
      return enum_schema(field);
    case kind::CPPTYPE_STRING:
      if (field.type() == FieldDescriptor::TYPE_BYTES)
        return {{"type", "string"}, {"format", "byte"}};
      return {{"type", "string"}};
    case kind::CPPTYPE_MESSAGE:
      break;
  }
  return go_json::object();
}

/// Describes the messages that are asked for, and those which they hold.
class definitions {
 public:
  go_json reference(const Descriptor& type) {
    if (auto special = special_schema(type); !special.is_null()) return special;
    if (known_.insert(type.full_name()).second) waiting_.push_back(&type);
    return {{"$ref", "#/definitions/" + type.full_name()}};
  }

  /// All definitions by name.
  go_json written() {
    std::map<std::string, go_json> sorted;
    while (!waiting_.empty()) {
      const auto& type = *waiting_.front();
      waiting_.pop_front();
      auto properties = go_json::object();
      add_properties(type, properties);
      sorted[type.full_name()] = {{"type", "object"}, {"properties", std::move(properties)}};
    }
    auto out = go_json::object();
    for (auto& [name, schema] : sorted) out[name] = std::move(schema);
    return out;
  }

 private:
  go_json value_schema(const FieldDescriptor& field) {
    return field.cpp_type() == kind::CPPTYPE_MESSAGE ? reference(*field.message_type())
                                                     : scalar_schema(field);
  }

  void add_properties(const Descriptor& type, go_json& into) {
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      if (is_inlined(field)) {
        add_properties(*field.message_type(), into);
      } else if (field.is_map()) {
        into[field.json_name()] = {
            {"type", "object"},
            {"additionalProperties", value_schema(*field.message_type()->map_value())}};
      } else if (field.is_repeated()) {
        into[field.json_name()] = {{"type", "array"}, {"items", value_schema(field)}};
      } else {
        into[field.json_name()] = value_schema(field);
      }
    }
  }

  std::set<std::string> known_;
  std::deque<const Descriptor*> waiting_;
};

/// The parameters of a query for the fields of a request, but for those that the path has.
void add_query(const Descriptor& type, const std::string& prefix, int depth,
               const std::vector<std::string>& in_path, go_json& into) {
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    const auto name = prefix + field.json_name();
    if (field.is_map()) continue;
    if (field.cpp_type() == kind::CPPTYPE_MESSAGE) {
      if (!field.is_repeated() && depth < query_depth_max &&
          special_schema(*field.message_type()).is_null())
        add_query(*field.message_type(), name + ".", depth + 1, in_path, into);
      continue;
    }
    if (prefix.empty() && std::find(in_path.begin(), in_path.end(), field.name()) != in_path.end())
      continue;
    go_json parameter{{"name", name}, {"in", "query"}, {"required", false}};
    if (field.is_repeated()) {
      parameter["type"] = "array";
      parameter["items"] = scalar_schema(field);
      parameter["collectionFormat"] = "multi";
    } else {
      parameter.update(scalar_schema(field));
    }
    into.push_back(std::move(parameter));
  }
}

}  // namespace

std::string swagger_json(const std::vector<described_route>& routes) {
  auto paths = go_json::object();
  definitions types;
  for (const auto& route : routes) {
    const auto& method = *route.method;
    auto parameters = go_json::array();
    for (const auto& name : route.fields)
      parameters.push_back(
          {{"name", name}, {"in", "path"}, {"required", true}, {"type", "string"}});
    if (route.verb == "post" || route.verb == "put")
      parameters.push_back({{"name", "body"},
                            {"in", "body"},
                            {"required", true},
                            {"schema", types.reference(*method.input_type())}});
    else
      add_query(*method.input_type(), "", 0, route.fields, parameters);
    paths[route.pattern][route.verb] = {
        {"operationId", method.name()},
        {"tags", go_json::array({method.service()->name()})},
        {"parameters", parameters},
        {"responses",
         {{"200",
           {{"description", method.server_streaming() ? "A line for each message." : "The answer."},
            {"schema", types.reference(*method.output_type())}}}}}};
  }
  const go_json out{{"swagger", "2.0"},
                    {"info", {{"title", "Argosy"}, {"version", "1"}}},
                    {"consumes", go_json::array({"application/json"})},
                    {"produces", go_json::array({"application/json"})},
                    {"paths", paths},
                    {"definitions", types.written()}};
  return out.dump();
}

}  // namespace argosy::codec

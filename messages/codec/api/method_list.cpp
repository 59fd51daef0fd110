// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/method_list.hpp"

#include <google/protobuf/descriptor.h>

#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/api/node.pb.h"
#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/access.pb.h"
#include "messages/proto/argosy/audit.pb.h"
#include "messages/proto/argosy/control.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/trace.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "messages/proto/armada/executorapi.pb.h"

namespace argosy::codec {

namespace {

using google::protobuf::ServiceDescriptor;

/// A file's descriptor is known as soon as one of its messages is asked for.
std::vector<const ServiceDescriptor*> find_services() {
  std::vector<const ServiceDescriptor*> out;
  for (const auto* file :
       {api::JobSubmitRequest::descriptor()->file(), api::EventMessage::descriptor()->file(),
        api::JobStatusRequest::descriptor()->file(), v1::ListJobsRequest::descriptor()->file(),
        v1::GetTraceRequest::descriptor()->file(), v1::WhoAmIRequest::descriptor()->file(),
        v1::ListAuditRequest::descriptor()->file(), v1::HoldJobsRequest::descriptor()->file(),
        v1::ListSettingsChangesRequest::descriptor()->file(),
        v1::ExplainJobRequest::descriptor()->file(), v1::ReadActorsRequest::descriptor()->file(),
        schedulerobjects::JobReportRequest::descriptor()->file(),
        binoculars::LogRequest::descriptor()->file(),
        api::ExecutorCancelRequest::descriptor()->file(),
        api::NodeCancelRequest::descriptor()->file(),
        executorapi::LeaseRequest::descriptor()->file()})
    for (int i = 0; i < file->service_count(); ++i) out.push_back(file->service(i));
  return out;
}

const std::vector<const ServiceDescriptor*>& services() {
  static const auto all = find_services();
  return all;
}

}  // namespace

std::vector<api_method> api_methods() {
  std::vector<api_method> out;
  for (const auto* service : services())
    for (int i = 0; i < service->method_count(); ++i) {
      const auto* method = service->method(i);
      out.push_back({"/" + service->full_name() + "/" + method->name(),
                     service->name() + "." + method->name(), method->server_streaming()});
    }
  return out;
}

const google::protobuf::MethodDescriptor* descriptor_of(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  for (const auto* service : services())
    if (service->name() == name.substr(0, dot))
      return service->FindMethodByName(std::string{name.substr(dot + 1)});
  return nullptr;
}

std::vector<std::string> api_services() {
  std::vector<std::string> out;
  for (const auto* service : services()) out.push_back(service->full_name());
  return out;
}

}  // namespace argosy::codec

// SPDX-License-Identifier: Apache-2.0

import RestMapping
import TestSupport
import Testing

/// Converts a value of a document by the default mapping of a property.
func converted<Value: MappableValue>(_ json: String) throws -> Value? {
    try map(Holder<Value>.self, #"{"value":\#(json)}"#).first?.value
}

/// Expects that a value is not converted, and returns the code of its issue.
func conversionIssue<Value: MappableValue>(
    of type: Value.Type, _ json: String
) throws -> MappingIssue.Code? {
    var report = MappingReport()
    let found = try map(Holder<Value>.self, #"{"value":\#(json)}"#, report: &report)
    #expect(found.first?.value == nil)
    return report.issues.first?.code
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension ParentValues {
    /// The plan that writes single values, without any object.
    private static let plan = try? RequestPlan(
        RequestMapping(table: PropertyTable(entity: "", [])))

    /// Returns the document that a request would send for a value; `nil` if it has no representation.
    fileprivate static func document<Value: MappableValue>(of value: Value) -> Document? {
        try? plan?.runToDocument { writer throws(MappingFailure) in try writer.write(value) }
    }
}

extension ValueSource {
    /// A Boolean value that indicates whether related objects read the property.
    package var isReadByChildren: Bool {
        unsafe step.pointee.isSpecial && stepDetail.isReadByChildren
    }

    /// Keeps the property's new value for the objects related to its object.
    package func keepForChildren(_ value: some MappableValue) {
        let document = ParentValues.document(of: value)
        unsafe context.parentValues.set(
            document, of: stepDetail.destination, at: state.pointee.depth)
    }
}

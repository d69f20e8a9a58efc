// SPDX-License-Identifier: Apache-2.0

/// A receiver of the values of one object's properties while a plan maps its representation.
public protocol MappingDestination {
    /// Assigns the value of a property.
    ///
    /// - Parameters:
    ///   - property: The index in the subject's ``PropertyTable``.
    ///   - source: The value, which is valid only during the call.
    /// - Throws: ``MappingFailure`` when the value does not fit. The run records it and applies the
    ///   mapping's policy.
    mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure)
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Where a value had no representation, gathered on the way out of it.
struct FailurePlace {
    /// The way to the value, the last step first.
    var components: [DocumentPath.Component] = []
    /// The innermost mapping.
    var mapping: Int?
    /// The property of that.
    var property: Int?
    /// What kind of value it was.
    var found = "a value without representation"
}

extension RepresentationWriter {
    /// The failure of a value that has no representation.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - expected: What the value should have been; never the value itself.
    ///   - found: The kind of value it is.
    /// - Returns: The failure, to be thrown.
    public mutating func failed(
        _ code: MappingIssue.Code, _ expected: String, found: String
    ) -> MappingFailure {
        failure = FailurePlace(found: found)
        return MappingFailure(code, expected: expected)
    }

    mutating func notFinite() -> MappingFailure {
        failed(.outOfRange, "a finite number", found: "a number that is not")
    }

    @usableFromInline
    mutating func note(_ error: MappingFailure, index: Int) -> MappingFailure {
        failure.components.append(.index(index))
        return error
    }

    @usableFromInline
    mutating func note(_ error: MappingFailure, key: String) -> MappingFailure {
        failure.components.append(.key(key))
        return error
    }

    @usableFromInline
    mutating func note(
        _ error: MappingFailure, step: Int, of object: ParameterObject
    ) -> MappingFailure {
        failure.components.append(.key(plan.keyNames[step]))
        if failure.mapping == nil {
            failure.mapping = Int(object.mapping)
            failure.property = plan.property(of: step)
        }
        return error
    }
}

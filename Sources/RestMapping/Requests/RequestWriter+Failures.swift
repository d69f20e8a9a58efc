// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension RequestWriter {
    /// Returns the failure of a value that has no representation.
    ///
    /// - Parameters:
    ///   - code: The kind of the problem.
    ///   - expected: A description of a suitable value; never the value itself.
    ///   - found: The kind of the value.
    /// - Returns: The failure, for the caller to throw.
    public mutating func failed(
        _ code: MappingIssue.Code, _ expected: String, found: String
    ) -> MappingFailure {
        failure = FailureLocation(found: found)
        return MappingFailure(code, expected: expected)
    }

    mutating func notFinite() -> MappingFailure {
        failed(.outOfRange, "a finite number", found: "a number that is not finite")
    }

    @usableFromInline
    mutating func located(_ error: MappingFailure, index: Int) -> MappingFailure {
        failure.components.append(.index(index))
        return error
    }

    @usableFromInline
    mutating func located(_ error: MappingFailure, key: String) -> MappingFailure {
        failure.components.append(.key(key))
        return error
    }

    @usableFromInline
    mutating func located(
        _ error: MappingFailure, step: Int, of object: RequestObjectPlan
    ) -> MappingFailure {
        failure.components.append(.key(plan.keyNames[step]))
        if failure.mapping == nil {
            failure.mapping = Int(object.mapping)
            failure.property = plan.property(of: step)
        }
        return error
    }
}

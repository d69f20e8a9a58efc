// SPDX-License-Identifier: Apache-2.0

/// The rule of one-to-one relationships: a destination has one source, and two objects of a relationship that
/// is its own inverse refer to each other.
package enum OneToOneRule {
    /// Returns the sources of a destination that lose it to an object, or all of them if there is none.
    @inlinable
    package static func displaced<Object: Equatable>(
        by owner: Object?, among sources: [Object]
    ) -> [Object] {
        sources.filter { $0 != owner }
    }

    /// Returns the objects that lose their destination when an object gets one, or none.
    ///
    /// - Parameters:
    ///   - owner: The object.
    ///   - destination: Its new destination; `nil` for none.
    ///   - isSymmetric: A Boolean value that indicates whether the relationship is its own inverse.
    ///   - partner: Returns the destination that an object has, of a relationship that is its own inverse.
    ///   - sources: Returns the objects whose destination is an object, of any other relationship.
    /// - Returns: The objects.
    /// - Throws: The error of a closure.
    @inlinable
    package static func displaced<Object: Equatable, Failure>(
        by owner: Object, _ destination: Object?, isSymmetric: Bool,
        partner: (Object) throws(Failure) -> Object?,
        sources: (Object) throws(Failure) -> [Object]
    ) throws(Failure) -> [Object] {
        guard isSymmetric else {
            return try destination.map { destination throws(Failure) in
                Self.displaced(by: owner, among: try sources(destination))
            } ?? []
        }
        var displaced: [Object] = []
        // Another context may have given one of two partners a third one.
        if let former = try partner(owner), former != destination,
            try partner(former) == owner
        {
            displaced.append(former)
        }
        if let destination, let other = try partner(destination), other != owner,
            try partner(other) == destination
        {
            displaced.append(other)
        }
        return displaced
    }
}

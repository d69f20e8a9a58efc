// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
import RestTransport

/// The response descriptors of an object manager, in the order in which they were added, with
/// indices by base URL, path and type.
///
/// Choosing the descriptors of a response costs as much among a thousand as among ten, unless they
/// have the same path. The cost grows with the number of different base URLs.
package struct ResponseDescriptorIndex: Sendable {
    /// All descriptors, in the order in which they were added.
    package private(set) var descriptors: [ResponseDescriptor] = []

    // The members below contain positions in `descriptors`.
    private var groups: [Group] = []
    private var positionsByType: [DescribedType: [Int]] = [:]
    private var positionsOfUndeclaredTypes: [Int] = []
    private var positionsOfErrorsOfSuccess: [Int] = []

    // The classes that descriptors declare, of which a requested class may be a superclass.
    private var classes: [DescribedType: PropertyTable] = [:]

    /// The descriptors with the same base URL.
    private struct Group: Sendable {
        let baseURL: HTTPURL?
        var paths = PathTree()
        /// The descriptors for all paths.
        var everywhere: [Int] = []
    }

    /// The identity of a type or an entity.
    private enum DescribedType: Sendable, Hashable {
        case type(ObjectIdentifier)
        case entity(String)

        init(_ table: PropertyTable) {
            self = table.swiftType.map { .type($0) } ?? .entity(table.name)
        }
    }

    /// Up to this number, the descriptors of a type are compared one by one.
    private static let maximumComparedCount = 8

    package init(_ descriptors: [ResponseDescriptor] = []) {
        append(descriptors)
    }

    /// A Boolean value that indicates whether a descriptor is for a status of success.
    var describesSuccess: Bool {
        descriptors.contains { $0.statusCodes?.overlaps(.successful) ?? true }
    }

    package mutating func append(_ descriptors: [ResponseDescriptor]) {
        for descriptor in descriptors {
            insert(descriptor, at: self.descriptors.count)
            self.descriptors.append(descriptor)
        }
    }

    package mutating func removeAll(where isRemoved: (ResponseDescriptor) -> Bool) {
        self = ResponseDescriptorIndex(descriptors.filter { !isRemoved($0) })
    }

    private mutating func insert(_ descriptor: ResponseDescriptor, at position: Int) {
        guard descriptor.diagnostics.isEmpty else { return }
        let group =
            groups.firstIndex { $0.baseURL == descriptor.baseURL }
            ?? {
                groups.append(Group(baseURL: descriptor.baseURL))
                return groups.count - 1
            }()
        if let pattern = descriptor.pathPattern {
            groups[group].paths.insert(position, at: pattern)
        } else {
            groups[group].everywhere.append(position)
        }
        let tables = descriptor.tables
        if tables.isEmpty { positionsOfUndeclaredTypes.append(position) }
        if descriptor.describesErrorsOfSuccess { positionsOfErrorsOfSuccess.append(position) }
        for type in Set(tables.map(DescribedType.init)) {
            positionsByType[type, default: []].append(position)
        }
        for table in tables where table.subject is AnyClass {
            classes[DescribedType(table)] = table
        }
    }
}

// MARK: - Choosing

extension ResponseDescriptorIndex {
    /// Returns the descriptors for a location, a method and a status, the newest first.
    func descriptors(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int
    ) -> [ResponseDescriptor] {
        var positions: [Int] = []
        for group in groups {
            guard let paths = location.paths(relativeTo: group.baseURL) else { continue }
            positions += group.everywhere
            for path in paths {
                group.paths.forEachCandidate(for: path) { position in
                    if descriptors[position].pathPattern?.matches(path) ?? true {
                        positions.append(position)
                    }
                }
            }
        }
        positions.removeAll { position in
            !descriptors[position].matches(method: method)
                || !descriptors[position].matches(status: status)
        }
        positions.sort(by: >)
        return positions.map { descriptors[$0] }
    }

    /// Returns the descriptors for a location, a method and a status that may describe the objects
    /// of another descriptor, the newest first.
    func descriptors(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int,
        describing expected: ResponseDescriptor
    ) -> [ResponseDescriptor] {
        let declared = positionsOfDescriptors(declaring: expected)
        let count = declared.count + positionsOfUndeclaredTypes.count
        guard count <= Self.maximumComparedCount else {
            return descriptors(at: location, method: method, status: status)
                .filter { $0.describesObjects(of: expected) }
        }
        return (declared + positionsOfUndeclaredTypes).sorted(by: >).compactMap { position in
            let descriptor = descriptors[position]
            let isMatch =
                descriptor.matches(method: method) && descriptor.matches(status: status)
                && descriptor.matches(location) && descriptor.describesObjects(of: expected)
            return isMatch ? descriptor : nil
        }
    }

    /// Returns the descriptors for the errors in a response of success, the newest first.
    ///
    /// The objects of the expected descriptor are no errors of the response, even if their type is that
    /// of errors.
    func descriptorsOfErrors(
        at location: RequestedLocation, method: HTTPRequest.Method, status: Int,
        expecting expected: ResponseDescriptor?
    ) -> [ResponseDescriptor] {
        positionsOfErrorsOfSuccess.reversed().map { descriptors[$0] }.filter { descriptor in
            descriptor.matches(method: method) && descriptor.matches(status: status)
                && descriptor.matches(location)
                && expected.map { !descriptor.describesObjects(of: $0) } ?? true
        }
    }

    /// Returns the descriptors, for any response, that declare that they may describe the objects of
    /// another one.
    func descriptors(declaring expected: ResponseDescriptor) -> [ResponseDescriptor] {
        positionsOfDescriptors(declaring: expected).map { descriptors[$0] }
            .filter { $0.describesObjects(of: expected) }
    }

    /// Returns the descriptors that declare that they may describe the first type of another
    /// descriptor.
    private func positionsOfDescriptors(declaring expected: ResponseDescriptor) -> [Int] {
        // A descriptor that may describe the objects of another one may describe all their types.
        guard let table = expected.tables.first else {
            return Array(descriptors.indices)
        }
        var known = positionsByType[DescribedType(table)] ?? []
        if let element = expected.element { known += positionsByType[.type(element)] ?? [] }
        guard table.subject is AnyClass else { return known }
        let subclasses = classes.filter { $0.key != DescribedType(table) && table.holds($0.value) }
        return subclasses.isEmpty
            ? known
            : Array(Set(known + subclasses.keys.flatMap { positionsByType[$0] ?? [] }))
    }
}

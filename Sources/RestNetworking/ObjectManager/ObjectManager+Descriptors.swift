// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ObjectManager {
    /// The response descriptors, in the order in which they were added.
    public var responseDescriptors: [ResponseDescriptor] {
        snapshot.value.responseDescriptors.descriptors
    }

    /// Adds response descriptors: either all of them or, if one is invalid, none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of every descriptor.
    public func add(_ descriptors: ResponseDescriptor...) throws(NetworkingError) {
        try add(descriptors)
    }

    /// Adds response descriptors: either all of them or, if one is invalid, none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of every descriptor.
    public func add(_ descriptors: [ResponseDescriptor]) throws(NetworkingError) {
        let causes = descriptors.flatMap { descriptor in
            descriptor.diagnostics.map { "\(descriptor): \($0)" }
        }
        guard causes.isEmpty else {
            throw NetworkingError(.invalidConfiguration, stage: .configuration, causes: causes)
        }
        configure { $0.responseDescriptors.append(descriptors) }
    }

    /// Removes all response descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: ResponseDescriptor...) {
        remove(descriptors)
    }

    /// Removes all response descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: [ResponseDescriptor]) {
        configure {
            $0.responseDescriptors.removeAll { descriptors.contains($0) }
        }
    }
}

// MARK: - Request descriptors

extension ObjectManager {
    /// The request descriptors, in the order in which they were added.
    public var requestDescriptors: [RequestDescriptor] { snapshot.value.requestDescriptors }

    /// Adds request descriptors: either all of them or, if one is invalid, none.
    ///
    /// A descriptor that equals one that was added before is ignored.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of every descriptor, among them that of a second one for the same type and the
    ///   same methods. Descriptors for overlapping methods are allowed.
    public func add(_ descriptors: RequestDescriptor...) throws(NetworkingError) {
        try add(descriptors)
    }

    /// Adds request descriptors: either all of them or, if one is invalid, none.
    ///
    /// - Throws: The errors of ``add(_:)-(RequestDescriptor...)``.
    public func add(_ descriptors: [RequestDescriptor]) throws(NetworkingError) {
        let causes = configure { configuration in
            var added = configuration.requestDescriptors
            var causes: [String] = []
            for descriptor in descriptors where !added.contains(descriptor) {
                causes += descriptor.diagnostics.map { "\(descriptor): \($0)" }
                if let other = added.first(where: { $0.conflicts(with: descriptor) }) {
                    causes.append("\(descriptor): \(other) is for the same type and methods")
                }
                added.append(descriptor)
            }
            if causes.isEmpty { configuration.requestDescriptors = added }
            return causes
        }
        guard causes.isEmpty else {
            throw NetworkingError(.invalidConfiguration, stage: .configuration, causes: causes)
        }
    }

    /// Removes all request descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: RequestDescriptor...) {
        remove(descriptors)
    }

    /// Removes all request descriptors that are equal to one of the given descriptors.
    public func remove(_ descriptors: [RequestDescriptor]) {
        configure { configuration in
            configuration.requestDescriptors.removeAll { descriptors.contains($0) }
        }
    }
}

extension RequestDescriptor {
    /// Returns a Boolean value that indicates whether another descriptor is for the same type and
    /// exactly the same methods.
    fileprivate func conflicts(with other: RequestDescriptor) -> Bool {
        methods == other.methods && mapping.table.isSame(as: other.mapping.table)
    }
}

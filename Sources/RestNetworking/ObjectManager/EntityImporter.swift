// SPDX-License-Identifier: Apache-2.0

package import RestMapping
package import RestTransport

/// The import of the entities of responses whose requests name no context.
package protocol EntityImporter: Sendable {
    /// Begins a request whose response may contain entities, or the pages of a list.
    ///
    /// - Returns: A closure that returns the outermost interceptor of each of its exchanges.
    func begin() -> @Sendable () -> any HTTPInterceptor

    /// Imports the entities of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - manager: The manager that received it.
    ///   - isKeyed: A Boolean value that indicates whether the root of the response is a dictionary of
    ///     objects.
    ///   - report: Receives issues and counts of the entities.
    ///   - validation: Maps the plain objects with the entities before these are saved. If it throws,
    ///     nothing is saved.
    /// - Returns: The imported objects, in a context of their own.
    /// - Throws: The error of the import or of the validation. The store is then unchanged.
    func importEntities(
        of response: ObjectResponse, for manager: ObjectManager, isKeyed: Bool,
        _ report: inout MappingReport,
        validation: @escaping @Sendable (ResponseEntities) throws -> Void
    ) async throws -> sending ResponseEntities
}

extension ObjectManager {
    /// Maps a response as a reading declares it.
    ///
    /// The entities of the response are imported first if the manager has an importer.
    func read<Value>(
        _ response: ObjectResponse, by reading: ResponseReading<Value>,
        _ report: inout MappingReport
    ) async throws -> sending Value {
        switch reading.function {
        case .importing(let function): return try await function(response, &report)
        case .received(let function): return function(response)
        case .objects(let function):
            guard let importer = snapshot.value.entityImporter, response.containsEntities else {
                return try function(response, nil, &report)
            }
            let entities = try await importer.importEntities(
                of: response, for: self, isKeyed: Property.isKeyed(Value.self), &report
            ) { entities in
                var report = MappingReport()
                _ = try function(response, entities, &report)
            }
            return try function(response, entities, &report)
        }
    }
}

extension ObjectManager {
    /// Returns a descriptor that applies the own mapping of a value's type to every response.
    ///
    /// - Throws: ``NetworkingError`` with the diagnostics of the mapping.
    package func defaultDescriptor<Value: MappableValue>(
        ofValue type: Value.Type
    ) throws(NetworkingError) -> ResponseDescriptor {
        try snapshot.value.defaults.descriptor(for: ExpectedMapping(of: type))
    }

    /// Returns the default descriptor of a type; `nil` if descriptors for responses of success were
    /// added.
    ///
    /// - Throws: ``NetworkingError`` with the diagnostics of the mapping.
    package func defaultDescriptorOfSuccess<Value: MappableValue>(
        _ type: Value.Type
    ) throws(NetworkingError) -> ResponseDescriptor? {
        let isDescribed = snapshot.value.responseDescriptors.describesSuccess
        return isDescribed ? nil : try defaultDescriptor(ofValue: type)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Synchronization

/// The compiled default mappings of types, one for each type that was requested or sent.
///
/// Configurations of one manager share them: a type's own mapping does not depend on a configuration.
final class DefaultMappings: Sendable {
    private struct Compiled {
        var descriptors: [ObjectIdentifier: ResponseDescriptor] = [:]
        var plans: [ObjectIdentifier: RequestPlan] = [:]
    }

    private let compiled = Mutex(Compiled())

    /// Returns a descriptor that applies a type's own mapping to every response.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of the mapping.
    func descriptor(
        for expectation: ExpectedMapping
    ) throws(NetworkingError) -> ResponseDescriptor {
        if let known = compiled.withLock({ $0.descriptors[expectation.type] }) { return known }
        var descriptor = ResponseDescriptor(expectation.mapping(), statusCodes: nil)
        descriptor.isDefault = true
        descriptor.element = expectation.element
        guard descriptor.diagnostics.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration, causes: descriptor.diagnostics)
        }
        compiled.withLock { [descriptor] in $0.descriptors[expectation.type] = descriptor }
        return descriptor
    }

    /// Returns the plan of the default request mapping of an object's type; `nil` for a type that is
    /// known at run time only.
    ///
    /// - Throws: ``MappingError`` with the diagnostics of the mapping.
    func requestPlan(
        for type: any RequestSubject.Type
    ) throws(MappingError) -> RequestPlan? {
        let key = ObjectIdentifier(type)
        if let known = compiled.withLock({ $0.plans[key] }) { return known }
        guard let subject = type as? any MappingSubject.Type else { return nil }
        let plan = try RequestPlan(RequestMapping(defaultFor: subject.properties))
        compiled.withLock { $0.plans[key] = plan }
        return plan
    }
}

/// The mapping of a response's value if no response descriptor is for its type.
struct ExpectedMapping: Sendable {
    /// The identity of the value's type.
    let type: ObjectIdentifier

    /// The identity of the type of a collection's elements, if these decode themselves.
    var element: ObjectIdentifier?

    /// Returns the type's own mapping.
    let mapping: @Sendable () -> Mapping

    /// Creates the mapping of a value: for an ``/RestMapping/ObjectMappable`` type, the one it
    /// declares; for other mapped types and collections of them, the default mapping.
    init<Value: MappableValue>(of type: Value.Type) {
        self.type = ObjectIdentifier(type)
        mapping = {
            guard let table = Value.relation?.table else {
                return .object(ObjectMapping(defaultFor: PropertyTable(entity: "\(type)", [])))
            }
            guard let mappable = table.subject as? any ObjectMappable.Type else {
                return .object(ObjectMapping(defaultFor: table))
            }
            return .object(mappable.objectMapping)
        }
    }

    /// Creates the mapping of a value that decodes itself.
    ///
    /// A descriptor for the elements of an array, a set, a dictionary or an optional is one for the
    /// value.
    init<Value: Decodable & SendableMetatype>(decoding type: Value.Type) {
        self.type = ObjectIdentifier(type)
        element = (type as? any DecodableContainer.Type)?.element
        mapping = { .codable(CodableMapping(for: type)) }
    }
}

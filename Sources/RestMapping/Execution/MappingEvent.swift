// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// An event in the mapping of an object.
///
/// Not Sendable: it carries the values themselves.
public struct MappingEvent {
    /// The kind of event.
    ///
    /// An object begins and ends. In between, in document order:
    ///
    /// - for an attribute: ``found`` with the value of the document, ``willSet(_:)``, then one of
    ///   ``set(_:)``, ``unchanged(_:)`` and ``rejected(_:)``; or ``notFound`` if the value is missing
    ///   or cannot be converted;
    /// - for a relationship: the events of the objects it holds, ``willSet(_:)``, then one of the same
    ///   three.
    public enum Kind {
        /// A dynamic mapping chose the mapping that the event names.
        case selected
        /// An object begins; for a related object the event names its property.
        case began
        /// The value of an attribute was found.
        case found
        /// An attribute has no value, or one that cannot be converted.
        case notFound
        /// A property is about to be set, unless the observer refuses.
        case willSet(Any)
        /// A property was set.
        case set(Any)
        /// A property is unchanged: it has the value already, or the observer refused another.
        case unchanged(Any)
        /// A property is unchanged because its validation rejected a value.
        case rejected(Any)
        /// The object cannot be built.
        case failed(MappingIssue.Code)
        /// An object ends, whether it failed or not.
        case ended
    }

    /// The kind of event.
    public let kind: Kind
    /// The name of the type or entity.
    public let mapping: String
    /// The property; empty for the object that the run began with.
    public let destination: String
    /// The source of the property's value, relative to its object.
    public let source: SourcePath
    /// The name of the attribute's transform, if the mapping declares one.
    public let transform: String?
    /// The value; for the events of an object, its representation.
    public let node: Node
    /// The index in the plan of the object.
    let object: Int
}

/// An observer of the objects that a plan maps, which may refuse changes.
///
/// An observed run is slower: every step reports. Observation changes nothing else: values that are
/// equal are not assigned, and validations are applied as in any run.
public protocol MappingObserver: AnyObject {
    /// Receives an event.
    func observe(_ event: MappingEvent)

    /// Returns a Boolean value that indicates whether a property may be set to a value.
    ///
    /// Called after ``MappingEvent/Kind/willSet(_:)`` and before the value is compared with the current
    /// one and validated.
    func shouldSet(_ value: Any, for event: MappingEvent) -> Bool
}

extension MappingObserver {
    /// Returns true: every property may be set.
    public func shouldSet(_ value: Any, for event: MappingEvent) -> Bool { true }
}

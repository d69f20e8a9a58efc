// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Something that happens while an object is mapped.
///
/// Not Sendable: it carries the values themselves.
public struct MappingEvent {
    /// What happens.
    ///
    /// An object begins and ends. In between, in the document's order:
    ///
    /// - for an attribute: ``found`` with the value as the document has it, ``willSet(_:)``, then one
    ///   of ``set(_:)``, ``unchanged(_:)`` and ``rejected(_:)``; or ``notFound`` if the value is
    ///   missing or cannot be converted;
    /// - for a relationship: the events of the objects it holds, ``willSet(_:)``, then one of the
    ///   same three.
    public enum Kind {
        /// A dynamic mapping chose the mapping that the event names.
        case selected
        /// An object begins; for a related one the event names the property it is for.
        case began
        /// The value of an attribute was found.
        case found
        /// An attribute has no value, or one that cannot be converted.
        case notFound
        /// A property is about to become a value, unless the observer refuses.
        case willSet(Any)
        /// A property became a value.
        case set(Any)
        /// A property stays, as it has that value already or the observer refused another.
        case unchanged(Any)
        /// A property stays, as its validation rejected a value.
        case rejected(Any)
        /// An object that ended cannot be built.
        case failed(MappingIssue.Code)
        /// An object ends, whether it failed or not.
        case ended
    }

    /// What happens.
    public let kind: Kind
    /// Name of the type or entity.
    public let mapping: String
    /// The property; empty for the object the run began with.
    public let destination: String
    /// Where the property's value is looked up, seen from its object.
    public let source: SourcePath
    /// Name of the attribute's transform, if one was declared.
    public let transform: String?
    /// The value, or the object for events that are about one.
    public let node: Node
    /// Index in the plan of the object the event is about or in.
    let object: Int
}

/// Is told what happens while objects are mapped, and may refuse changes.
///
/// A run with an observer is slower: every step reports. Observing changes nothing: values that did
/// not change are not assigned and validations are asked as ever.
public protocol MappingObserver: AnyObject {
    /// Takes an event.
    func observe(_ event: MappingEvent)

    /// Whether a property may become a value; asked after ``MappingEvent/Kind/willSet(_:)`` and
    /// before the value is compared with the current one and validated.
    func shouldSet(_ value: Any, for event: MappingEvent) -> Bool
}

extension MappingObserver {
    /// Everything may be set.
    public func shouldSet(_ value: Any, for event: MappingEvent) -> Bool { true }
}

// MARK: - Reporting

extension MappingSource {
    /// Reports an event of the step or of its object, if somebody watches.
    ///
    /// Not inlined: an event is large, and these frames are on the stack once for every level.
    @inline(never)
    func watch(_ kind: @autoclosure () -> MappingEvent.Kind) {
        if let observer = context.environment.observer { observer.observe(event(kind())) }
    }

    /// Reports that a step has no value, if somebody watches and it is an attribute's.
    func watchMissing(_ index: Int) {
        guard context.environment.observer != nil,
            context.plan.details[index].kind == .attribute
        else { return }
        let source = unsafe MappingSource(
            node: node, step: frame.pointee.steps + index, frame: frame)
        source.watch(.notFound)
    }

    /// Reports a change about to happen and asks whether it may.
    @inline(never)
    func shouldSet(_ value: Any) -> Bool {
        guard let observer = context.environment.observer else { return true }
        let event = event(.willSet(value))
        observer.observe(event)
        return observer.shouldSet(value, for: event)
    }

    @inline(never)
    private func event(_ kind: MappingEvent.Kind) -> MappingEvent {
        let detail = detail
        let step = unsafe step.pointee
        var owner = Int(step.mapping)
        switch kind {
        case .selected, .began, .ended, .failed:
            if step.object >= 0 { owner = Int(step.object) }
        default: break
        }
        return MappingEvent(
            kind: kind, mapping: context.plan.tables[owner].name, destination: detail.destination,
            source: detail.source, transform: detail.transform?.name, node: element,
            object: owner)
    }
}

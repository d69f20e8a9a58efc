// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Reports the events of a step, or of its object, to the run's observer.
///
/// The functions are not inlined: an event is large, and the frames of their callers are on the stack
/// once for each level of related objects.
struct EventReporter {
    private let source: ValueSource

    init(_ source: ValueSource) { self.source = source }

    @inline(never)
    func report(_ kind: @autoclosure () -> MappingEvent.Kind) {
        if let observer = source.context.environment.observer { observer.observe(event(kind())) }
    }

    /// Reports that a step has no value, if it is an attribute's.
    func reportMissing(_ index: Int) {
        let context = source.context
        guard context.environment.observer != nil,
            context.plan.stepDetails[index].kind == .attribute
        else { return }
        let missing = unsafe ValueSource(
            view: source.view, step: source.state.pointee.steps + index, state: source.state)
        EventReporter(missing).report(.notFound)
    }

    /// Reports a change and returns a Boolean value that indicates whether the observer allows it.
    @inline(never)
    func shouldSet(_ value: Any) -> Bool {
        guard let observer = source.context.environment.observer else { return true }
        let event = event(.willSet(value))
        observer.observe(event)
        return observer.shouldSet(value, for: event)
    }

    @inline(never)
    private func event(_ kind: MappingEvent.Kind) -> MappingEvent {
        let detail = source.stepDetail
        let step = unsafe source.step.pointee
        var owner = Int(step.mapping)
        switch kind {
        case .selected, .began, .ended, .failed:
            if step.object >= 0 { owner = Int(step.object) }
        default: break
        }
        return MappingEvent(
            kind: kind, mapping: source.context.plan.tables[owner].name,
            destination: detail.destination, source: detail.source,
            transform: detail.transform?.name, node: source.documentNode, object: owner)
    }
}

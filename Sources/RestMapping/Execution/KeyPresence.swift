// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Determines whether a representation has any of the keys that an object is mapped from.
struct KeyPresence {
    private let source: ValueSource

    init(_ source: ValueSource) { self.source = source }

    /// Returns a Boolean value that indicates whether the value has a key that the object at a step is
    /// mapped from.
    func hasKey(ofObjectAt step: Int) -> Bool {
        var visited: Set<Int> = []
        return hasKey(ofObjectAt: step, &visited)
    }

    /// Objects that are mapped from the whole value may lead back to one another, so each step is
    /// visited once.
    private func hasKey(ofObjectAt step: Int, _ visited: inout Set<Int>) -> Bool {
        let related = unsafe Int(source.state.pointee.steps[step].object)
        guard related >= 0 else { return true }
        let object = unsafe ObjectPlanReference(source.state, at: related)
        let context = source.context
        let detail = context.plan.objectDetails[related]
        if detail.selector?.isFixed == true {
            return hasKey(ofObjectAt: context.plan.stepDetails[step].firstCandidate, &visited)
        }
        if detail.selector != nil || object.keyCount + object.pathCount == 0 {
            return detail.nestedObject < 0 || source.view.count > 0
        }
        if hasKey(of: object) { return true }
        guard object.pathCount > 0, visited.insert(step).inserted else { return false }
        for path in context.plan.paths[
            object.firstPath..<object.firstPath + object.pathCount]
        {
            if path.isOptional, path.source.components.isEmpty {
                if hasKey(ofObjectAt: path.step, &visited) { return true }
            } else {
                let found = context.resolver.value(
                    at: path.source, of: source.documentNode, keepingEmptiness: true)
                if found != nil { return true }
            }
        }
        return false
    }

    /// Returns a Boolean value that indicates whether the object has a key that assigns a property; an
    /// intermediate key alone does not.
    func hasKey(of object: ObjectPlanReference) -> Bool {
        guard source.view.kind == .object else { return false }
        var matcher = unsafe KeyMatcher(object, source.state)
        for member in source.view.members {
            let found = matcher.match(member.key)
            guard found >= 0 else { continue }
            let key = unsafe source.state.pointee.keys[found]
            for index in Int(key.firstStep)..<Int(key.endStep)
            where assigns(index, from: member.value) {
                return true
            }
        }
        return false
    }

    private func assigns(_ index: Int, from value: NodeView) -> Bool {
        let step = unsafe source.state.pointee.steps + index
        if unsafe step.pointee.action == .assign { return true }
        let inner = unsafe ValueSource(view: value, step: step, state: source.state)
        switch value.kind {
        case .object:
            let intermediate = unsafe ObjectPlanReference(
                source.state, at: Int(step.pointee.object))
            return KeyPresence(inner).hasKey(of: intermediate)
        case .array, .null:
            let (resolver, node) = (source.context.resolver, inner.documentNode)
            return (inner.objectDetail?.nestedSources ?? []).contains {
                resolver.value(at: $0.source, of: node, keepingEmptiness: true) != nil
            }
        default: return false
        }
    }
}

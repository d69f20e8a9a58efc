// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension MappingPlan: CustomStringConvertible {
    /// The plan as text: one line per step, indented where a dotted source is passed.
    public var description: String {
        var text = ""
        for object in 0..<objectCount {
            let plan = unsafe storage.objects[object]
            text += "#\(object) \(tables[Int(plan.mapping)].name)\n"
            for key in Int(plan.firstKey)..<Int(plan.firstKey + plan.keyCount) {
                let match = unsafe storage.keys[key]
                for step in Int(match.firstStep)..<Int(match.endStep) {
                    text += "  \(keyNames[key]) -> \(describe(unsafe storage.steps[step]))\n"
                }
            }
            for path in paths[Int(plan.firstPath)..<Int(plan.firstPath + plan.pathCount)] {
                let source = DocumentPath(path.components).description
                let place = source.isEmpty ? "(the object)" : source
                text += "  \(place) -> \(describe(unsafe storage.steps[path.step]))\n"
            }
        }
        return text
    }

    private func describe(_ step: PlanStep) -> String {
        switch step.action {
        case .descend: return "#\(step.object)"
        case .assign:
            var text = tables[Int(step.mapping)].properties[Int(step.property)].name
            if step.object >= 0 { text += " #\(step.object)" }
            if step.transform >= 0 { text += " by \(transforms[Int(step.transform)].name)" }
            return text
        }
    }
}

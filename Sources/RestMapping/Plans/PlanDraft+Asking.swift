// SPDX-License-Identifier: Apache-2.0

extension PlanDraft {
    /// Puts the steps to related objects that ask the object around them behind all others of it, and
    /// has what they ask for kept.
    mutating func holdBackAskingSteps() {
        let asked = askedProperties
        guard asked.contains(where: { !$0.isEmpty }) else { return }
        for index in objects.indices {
            let owner = objects[index].owner
            var held = Set<String>()
            func takeOut(_ step: Step) -> Bool {
                guard step.object >= 0, !step.isDescent, !asked[step.object].isEmpty else {
                    return false
                }
                held.formUnion(asked[step.object])
                return true
            }
            for branch in objects[index].branches.indices {
                let steps = objects[index].branches[branch].steps
                objects[owner].asking += steps.filter(takeOut)
                objects[index].branches[branch].steps.removeAll(where: takeOut)
            }
            objects[index].branches.removeAll(where: \.steps.isEmpty)
            objects[owner].asking += objects[index].paths.map(\.step).filter(takeOut)
            objects[index].paths.removeAll { takeOut($0.step) }
            for name in held.sorted() { hold(name, of: owner) }
        }
    }

    /// By object: which properties it asks of the object around it.
    private var askedProperties: [Set<String>] {
        var asked = [Set<String>](repeating: [], count: objects.count)
        for object in objects {
            let names = object.paths.compactMap { $0.source.parentProperty?.name }
            asked[object.owner].formUnion(names)
        }
        for (index, object) in objects.enumerated() {
            for candidate in object.candidates { asked[index].formUnion(asked[candidate]) }
        }
        return asked
    }

    private mutating func hold(_ name: String, of owner: Int) {
        let table = objects[owner].table
        guard let property = table.index(of: name) else {
            diagnostics.append(
                PlanDiagnostic(
                    code: .unknownProperty, mapping: table.name, name: name,
                    suggestion: PlanDiagnostic.nearest(
                        to: name, among: table.properties.map(\.name))))
            return
        }
        for index in objects.indices where objects[index].owner == owner {
            for branch in objects[index].branches.indices {
                for step in objects[index].branches[branch].steps.indices
                where objects[index].branches[branch].steps[step].property == property {
                    objects[index].branches[branch].steps[step].detail.isHeld = true
                }
            }
            for path in objects[index].paths.indices
            where objects[index].paths[path].step.property == property {
                objects[index].paths[path].step.detail.isHeld = true
            }
            if objects[index].nested?.step.property == property {
                objects[index].nested?.step.detail.isHeld = true
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension PlanDraft {
    /// Moves the steps to related objects that read properties of their parent behind all other steps of
    /// the parent, and marks those properties to be kept.
    mutating func moveDependentSteps() {
        let parentProperties = parentProperties
        guard parentProperties.contains(where: { !$0.isEmpty }) else { return }
        for index in objects.indices {
            let owner = objects[index].owner
            var names = Set<String>()
            func isDependent(_ step: Step) -> Bool {
                guard step.object >= 0, !step.isDescent, !parentProperties[step.object].isEmpty
                else { return false }
                names.formUnion(parentProperties[step.object])
                return true
            }
            for branch in objects[index].branches.indices {
                let steps = objects[index].branches[branch].steps
                objects[owner].dependentSteps += steps.filter(isDependent)
                objects[index].branches[branch].steps.removeAll(where: isDependent)
            }
            objects[index].branches.removeAll(where: \.steps.isEmpty)
            objects[owner].dependentSteps += objects[index].paths.map(\.step).filter(isDependent)
            objects[index].paths.removeAll { isDependent($0.step) }
            for name in names.sorted() { keepForChildren(name, of: owner) }
        }
        for index in objects.indices { moveFillingSteps(of: index) }
    }

    /// Moves the steps that assign properties of dependent objects behind the steps to these.
    private mutating func moveFillingSteps(of index: Int) {
        let dependents = Set(objects[index].dependentSteps.map(\.property))
        if dependents.isEmpty { return }
        func fillsDependent(_ step: Step) -> Bool {
            step.detail.kind == .nestedProperties && dependents.contains(step.property)
        }
        objects[index].dependentSteps += objects[index].paths.map(\.step).filter(fillsDependent)
        objects[index].paths.removeAll { fillsDependent($0.step) }
    }

    /// The properties of the parent that each object reads.
    private var parentProperties: [Set<String>] {
        var properties = [Set<String>](repeating: [], count: objects.count)
        for object in objects {
            let names = object.paths.compactMap { $0.source.parentProperty?.name }
            properties[object.owner].formUnion(names)
        }
        for (index, object) in objects.enumerated() {
            for candidate in object.candidates {
                properties[index].formUnion(properties[candidate])
            }
        }
        return properties
    }

    private mutating func keepForChildren(_ name: String, of owner: Int) {
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
                    objects[index].branches[branch].steps[step].detail.isReadByChildren = true
                }
            }
            for path in objects[index].paths.indices
            where objects[index].paths[path].step.property == property {
                objects[index].paths[path].step.detail.isReadByChildren = true
            }
            if objects[index].nested?.step.property == property {
                objects[index].nested?.step.detail.isReadByChildren = true
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMirror

/// The progress of a run: the numbers of its active resources, and their lines.
struct RunProgress {
    private struct Resource {
        let name: String
        let start: ContinuousClock.Instant
        var records = 0
        var requests = 0
        var lists = 0
        var total: Int?
    }

    private var resources: [Resource] = []
    /// The number of requests that the server still accepts; `nil` if it does not say it.
    private var remainingRequests: Int?

    /// The number of resources with a line of their own.
    private static let maximumLineCount = 8
    private static let barWidth = 20

    /// Notes an event.
    mutating func note(_ event: MirrorEvent, at now: ContinuousClock.Instant) {
        switch event {
        case .started(let name): resources.append(Resource(name: name, start: now))
        case .finished(let summary): resources.removeAll { $0.name == summary.resource }
        case .response(let response):
            remainingRequests = response.remainingRequestCount ?? remainingRequests
            change(response.resource) { $0.requests += 1 }
        case .page(let page):
            change(page.resource) { resource in
                resource.records += page.recordCount
                resource.total = page.total ?? resource.total
                if page.number == 1 { resource.lists += 1 }
            }
        case .waiting, .deleted, .warning: break
        }
    }

    private mutating func change(_ name: String, _ body: (inout Resource) -> Void) {
        guard let index = resources.firstIndex(where: { $0.name == name }) else { return }
        body(&resources[index])
    }

    /// Returns a line for each active resource, and one for the budget if the server says it.
    func lines(at now: ContinuousClock.Instant) -> [String] {
        let active = resources.filter { $0.requests > 0 }
        let width = active.map(\.name.count).max() ?? 0
        var lines = active.prefix(Self.maximumLineCount).map { resource in
            let padding = String(repeating: " ", count: width - resource.name.count)
            return "\(resource.name)\(padding)  \(Self.text(of: resource, at: now))"
        }
        if active.count > Self.maximumLineCount {
            lines.append("and \(active.count - Self.maximumLineCount) others")
        }
        if let remainingRequests { lines.append("\(remainingRequests) requests left") }
        return lines
    }

    private static func text(of resource: Resource, at now: ContinuousClock.Instant) -> String {
        let seconds = max((now - resource.start) / .seconds(1), 0.001)
        let rate = Double(resource.records) / seconds
        let rates =
            "\(Int(rate)) rows/s  \(Int(Double(resource.requests) / seconds)) requests/s"
        // The total is that of one list.
        guard let total = resource.total, total > 0, resource.lists == 1 else {
            return "\(resource.records) rows  \(rates)"
        }
        let filled = min(barWidth, resource.records * barWidth / total)
        let bar =
            String(repeating: "━", count: filled)
            + String(repeating: "─", count: barWidth - filled)
        let rest = total - resource.records
        let time = rate > 0 && rest > 0 ? "  \(duration(Double(rest) / rate)) left" : ""
        return "\(bar)  \(resource.records)/\(total)  \(rates)\(time)"
    }

    private static func duration(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }
}

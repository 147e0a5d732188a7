//! What reads and writes memory in CUDA C++.

use nitro_launch::{Element, Storage};

use super::Writer;
use super::value::operation;
use crate::kernel::Cache;
use crate::limits::LANES;
use crate::nest::expression::{Access, Binary};

impl Writer<'_> {
    /// Reads an element, through the caches that were asked for.
    pub(super) fn load(&self, array: usize, element: String) -> String {
        let element = match self.kernel.caches(array)[0] {
            Cache::Usual => element,
            Cache::Device => format!("__ldcg(&{element})"),
            Cache::Streaming => format!("__ldcs(&{element})"),
        };
        match self.storage(array) {
            Storage::Number => element,
            storage => format!("from_{}({element})", storage.name(self.element())),
        }
    }

    /// Writes the statement by which an element becomes a value.
    pub(super) fn store(&self, target: &Access, value: String) -> String {
        let element = self.access(target);
        let value = match self.storage(target.array) {
            Storage::Number => value,
            storage => format!("to_{}({value})", storage.name(self.element())),
        };
        match self.kernel.caches(target.array)[1] {
            Cache::Usual => format!("{element} = {value};"),
            Cache::Device => format!("__stcg(&{element}, {value});"),
            Cache::Streaming => format!("__stcs(&{element}, {value});"),
        }
    }

    /// Writes the statements that copy neighbours, up to 16 bytes each.
    pub(super) fn copy(&self, target: &Access, source: &Access, width: u32) -> Vec<String> {
        let (vector, places) = match (self.element(), width) {
            _ if !self.storage(target.array).is_number() => ("uint2", &[""][..]),
            (Element::F32, 2) => ("float2", &[""][..]),
            (Element::F32, _) => ("float4", &[""][..]),
            (Element::F64, 2) => ("double2", &[""][..]),
            (Element::F64, _) => ("double2", &["", " + 1"][..]),
        };
        let [reads, _] = self.kernel.caches(source.array);
        let [_, writes] = self.kernel.caches(target.array);
        let (target, source) = (self.access(target), self.access(source));
        let mut copies = Vec::new();
        for place in places {
            let pointer = |of: &str, element: &str| match *place {
                "" => format!("({of}*)&{element}"),
                behind => format!("(({of}*)&{element}{behind})"),
            };
            let (to, from) = (pointer(vector, &target), pointer(&format!("const {vector}"), &source));
            let value = match reads {
                Cache::Usual => format!("*{from}"),
                Cache::Device => format!("__ldcg({from})"),
                Cache::Streaming => format!("__ldcs({from})"),
            };
            copies.push(match writes {
                Cache::Usual => format!("*{to} = {value};"),
                Cache::Device => format!("__stcg({to}, {value});"),
                Cache::Streaming => format!("__stcs({to}, {value});"),
            });
        }
        copies
    }

    /// Writes the addition of a register, after that of the lanes by shuffles.
    pub(super) fn add(&self, target: &Access, value: &Access, lanes: u32) -> Vec<String> {
        let (target, value) = (self.access(target), self.access(value));
        if lanes == 1 {
            return vec![format!("atomicAdd(&{target}, {value});")];
        }
        vec![
            format!("for (int lane = {}; lane > 0; lane /= 2) {{", lanes / 2),
            format!("    {value} += __shfl_down_sync(0xffffffffu, {value}, lane);"),
            "}".to_owned(),
            format!("if (threadIdx.x % {lanes} == 0) {{"),
            format!("    atomicAdd(&{target}, {value});"),
            "}".to_owned(),
        ]
    }

    /// Writes the rounds in which lanes combine a register, each with another one.
    pub(super) fn combine(&self, register: &Access, operator: Binary, lanes: u32) -> Vec<String> {
        let own = self.access(register);
        let other = format!("__shfl_xor_sync(0xffffffffu, {own}, lane)");
        vec![
            format!("for (int lane = {}; lane > 0; lane /= 2) {{", lanes / 2),
            format!("    {own} = {};", operation(self.element(), operator, &own, &other)),
            "}".to_owned(),
        ]
    }

    pub(super) fn scan(&self, register: &Access, operator: Binary) -> Vec<String> {
        let (own, number) = (self.access(register), self.element().c_name());
        let thread = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";
        vec![
            format!("for (int lanes = 1; lanes < {LANES}; lanes *= 2) {{"),
            format!("    const {number} before = __shfl_up_sync(0xffffffffu, {own}, lanes);"),
            format!("    if (({thread}) % {LANES} >= lanes) {{"),
            format!("        {own} = {};", operation(self.element(), operator, "before", &own)),
            "    }".to_owned(),
            "}".to_owned(),
        ]
    }
}

//! Nests whose arrays are stored in 16 bits: the text of their kernels gives what the functions give.

#[path = "support/emulated.rs"]
mod emulated;

use emulated::emulated;
use half::{bf16, f16};
use nitro_nest::{Array2, Data, Mapping, MappingSpace, Storage, nest};
use nitro_test_support::random::Random;

/// c ← a·b, and what is left of it in 16 bits.
#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f16>,
    #[shape(l, m)] b: &Array2<bf16>,
    #[shape(n, m)] c: &mut Array2<f32>,
    #[shape(n, m)] halves: &mut Array2<f16>,
    #[shape(n, m)] upper: &mut Array2<bf16>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] = 0.0;
            for k in 0..l {
                c[[i, j]] += a[[i, k]].to_f32() * b[[k, j]].to_f32();
            }
            halves[[i, j]] = f16::from_f32(c[[i, j]]);
            upper[[i, j]] = bf16::from_f32(c[[i, j]] / 3.0);
        }
    }
}

/// Returns an array as a device has it.
fn stored(storage: Storage, array: &[f32]) -> Vec<u8> {
    let each = array.iter().map(|element| match storage {
        Storage::Number => element.to_le_bytes().to_vec(),
        Storage::F16 => f16::from_f32(*element).to_le_bytes().to_vec(),
        Storage::Bf16 => bf16::from_f32(*element).to_le_bytes().to_vec(),
    });
    each.collect::<Vec<_>>().concat()
}

/// Whole numbers, so that sums are exact in any order, and what is rounded is so once.
#[test]
fn texts_of_kernels_give_what_the_function_gives() {
    let nest = product::nest();
    let space = MappingSpace::new(&nest).unwrap();
    let sizes = [33, 20, 18];
    let mut random = Random::new(1);
    let mut before = Data::new(&nest, &sizes, &[]).unwrap();
    before.arrays.iter_mut().flatten().for_each(|element| *element = random.below(129) as f32 - 64.0);
    let mut expected = before.clone();
    product::reference(&mut expected);
    for (name, mapping) in Mapping::presets() {
        let plan = space.map(&mapping).plan();
        let bytes = |data: &Data| {
            let each = plan.arrays.iter().zip(&data.arrays);
            each.map(|(declared, array)| stored(declared.storage, array)).collect::<Vec<_>>()
        };
        let Some(found) = emulated(&plan, &sizes, &[], bytes(&before)) else { return };
        assert!(found == bytes(&expected), "{name}: {}", plan.cuda);
    }
}
